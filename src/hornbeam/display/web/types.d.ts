/** The types that many modules name, for those who check them (`make web-check`); nothing of this is run. */

type Doc = import('./model.js').Doc;
type Fact = import('./model.js').Fact;
type Model = import('./model.js').Model;
type NodeInfo = import('./model.js').NodeInfo;
type State = import('./state.js').State;
type Store = import('./state.js').Store;
type Area = import('./view/shapes.js').Area;
type Box = import('./view/edges.js').Box;
type View = import('./view/app.js').View;
type Host = import('./view/app.js').Host;
