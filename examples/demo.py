# What `make demo` runs: learn a tree from a bundled table, print it, its rules and one explained prediction.
import hornbeam as hb

tennis = hb.datasets.load("tennis")
model = hb.TreeClassifier(criterion="entropy", split="multiway").fit(tennis.X, tennis.y)

print("The tree learned from fourteen days of weather:\n")
print(hb.show(model))

print("\nIts rules:\n")
for rule in hb.rules(model):
    print(rule)

day = {"Outlook": "Sunny", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
print("\nWhy it says what it says about a sunny, humid day:\n")
print(hb.explain(model, day))
