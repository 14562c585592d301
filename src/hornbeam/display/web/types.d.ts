/** The types that many modules name, for those who check them (`make web-check`); nothing of this is run. */

type Facts = Record<string, any>;
/** Attributes of an element; functions under "onclick" and the like become listeners. */
type Props = {[name: string]: any} & {[Name in keyof GlobalEventHandlersEventMap as `on${Name}`]?: (event: GlobalEventHandlersEventMap[Name]) => any};
type Child = Node | string | number | null | undefined | false | Child[];
type Tag = keyof HTMLElementTagNameMap;
/** "p" or "p.soft.wide": a tag, and classes after it */
type TagWithClasses = Tag | `${Tag}.${string}`;
type Tagged<T extends string> = T extends Tag ? HTMLElementTagNameMap[T] : T extends `${infer Name extends Tag}.${string}` ? HTMLElementTagNameMap[Name] : never;
type MakeHtml = <T extends TagWithClasses>(tag: T, props?: Props | Child, ...children: Child[]) => Tagged<T>;

/** What surrounds a value on the screen; also a node's place in the drawing of a tree. */
interface Area { x: number; y: number; w: number; h: number }
type Box = Area;
/** leaf: shown as one; folded: its branches are hidden */
interface Look { leaf: boolean; folded: boolean }
/** how much of a node is shown */
type Level = 'full' | 'line' | 'dot';

/** The document of a report. */
interface Doc extends Facts {
  classes: string[]; colours: number[]; groups: number[]; columns: DocColumn[]; quality: Measured[]; nodes: Fact[];
  marks?: Facts[]; provenance: string[][]; axis: string[]; range: number[]; pruning: Pruning; partial?: string; caution?: string; notes?: string[];
}
/** The pruning path of a document; numbers that JSON has not are words. */
interface Pruning extends Facts {
  measure: string; leaves: number[]; texts: string[]; alpha: any[]; strength: any[]; training: any[]; best?: any;
  validation?: any[]; error?: any[]; cv?: any[]; cv_se?: any[]; steps?: Facts[];
}
/** What a document says of a node. */
interface Fact extends Facts { counts: number[]; facts: string[][]; n: number; rule?: string[]; surrogates?: string[][] }

interface NodeInfo {
  id: number;
  /** -1 for the root */
  parent: number;
  children: number[]; depth: number; fact: Fact;
  /** how many nodes are below */
  nodes: number;
  /** how many leaves are below, 1 for a leaf */
  leaves: number;
}

/** The tree of a document as linked nodes. */
interface Model {
  doc: Doc; nodes: NodeInfo[];
  /** the nodes in reading order */
  order: number[];
  /** the identity of each node, which edits keep */
  ids: number[];
  /** the critical alpha of a node: the penalty at which its test is pruned; NaN for leaves */
  strength: number[];
}

/** The state of the viewer. */
interface State {
  /** the node the inspector shows */
  selected: number;
  /** nodes whose branches are hidden */
  folded: Set<number>;
  /** the step of the pruning path that is shown */
  step: number;
  /** the step the slider is dragged to */
  preview: number | null;
  /** the text searched for */
  query: string;
  /** "down" or "right" */
  orientation: string;
  /** the panel that is shown */
  view: string;
  /** the nodes a what-if row passes */
  path: Set<number> | null;
  /** the node the icicle starts from */
  focus: number;
  /** how often another document was given */
  version: number;
  /** how often the quality of the tree was measured */
  measured: number;
  /** what was done last, for screen readers */
  said: string;
  /** the identity of the node that is taught, -1 for none */
  work: number;
}

interface Store {
  get: () => Readonly<State>;
  /** listeners are called once for all changes of one turn */
  set: (patch: Partial<State>) => void;
  /** `hear` is called now, and whenever one of the keys has changed; what is returned stops that */
  on: (keys: (keyof State)[], hear: () => void) => () => void;
  /** aborted when the viewer goes: what listens outside of it stops then */
  signal: AbortSignal;
  end: () => void;
  /** the same store for a part of the viewer that goes before all of it does: its listeners go with it */
  part: () => Store;
}

/** A mounted viewer. */
interface View { model: Model; store: Store; update: (doc: Doc) => void; destroy: () => void }

/** What a page around the viewer offers: keys that do something to the tree, and panels in place of the viewer's own. */
interface Host {
  keys: Record<string, () => void>;
  /** what the keys do */
  keyWords: string[][];
  /** left, right, below, header, footer, caution */
  panels: (view: View) => Record<string, HTMLElement | null>;
}

/** What the panels of the studio share. */
interface Bench {
  session: Session;
  view: View;
  /** do an operation; whether it was done */
  act: (op: any, slow?: boolean) => Promise<boolean>;
  /** undo, redo, goto */
  travel: (path: string, body?: any) => Promise<void>;
  say: (words: string, problem?: boolean) => void;
  /** the identity of the selected node */
  selected: () => number;
  /** called now and after every change of the session */
  onChange: (hear: () => void) => void;
  refresh: () => Promise<void>;
  /** begin to grow the tree again and again */
  measureStability: () => void;
  /** with another table */
  reopen: (session: Session) => void;
  /** says what is refused */
  attempt: <T>(work: () => Promise<T>) => Promise<T | null>;
}
type Attempt = (work: () => Promise<any>) => Promise<void>;
/** What `GET /api/session` answers. */
interface Session {
  revision: number; end: number; branches: number[]; revisions: Facts[];
  columns: Column[]; classes: any[]; settings: Facts; slots: Record<string, Facts[]>; data: Facts;
  recipes: string[]; limits: string[]; pruning: Facts[]; formats: Facts[]; models: string[]; demos: Facts[]; lectures: Facts[]; notes: string[];
  job: Facts | null; reading: Facts | null; autosave: {others?: string[]} & Facts; read_only: string | null;
}
/** A column of the table that is open. */
interface Column extends Facts { name: string; kind: string; role: string; values?: any[] }

/** What the other requests answer; each has some of these. */
interface Answer extends Facts {
  lines: string[]; table: any[][]; sizes?: Record<string, any[]>;
  candidates: Facts[]; branches: Facts[]; impossible?: Facts[]; changed?: number[]; won?: number[]; lost?: number[];
  rows: any[][]; columns: string[]; wrong: boolean[]; total: number; leaves: number[]; cv: any[]; cv_se: any[];
  reached: Facts[]; nodes: Facts[];
}
/** A candidate with all that is known of it. */
interface Candidate extends Answer { cuts: {threshold: number[]; score: number[]; allowed?: boolean[]};
  column: string; test: string; classes?: any[]; details?: string[]; values?: any[] }

/** What draws a panel of the viewer. */
type Panel<Drawn = HTMLElement> = (model: Model, store: Store) => Drawn;
/** What draws a tree at a step of the pruning path. */
type AtStep = (model: Model, step: number) => HTMLElement;
/** What is made of a node, as it is looked at. */
type OfNode<Made> = (model: Model, node: NodeInfo, look: Look) => Made;
/** What is said of a node beside what it is: its kind and its words. */
type Remark = [string, string];
/** The inside of a card that is `h` tall. */
type CardBody<Of, More = void> = (of: Of, node: NodeInfo, h: number, more: More) => SVGElement[];
interface Lettering { size?: number; bold?: boolean; end?: boolean; soft?: boolean; room?: number }

/** A column in a document. */
interface DocColumn {
  name: string; kind: string; display: string; mark: string; text: string; missing: number; tests: number; asked: boolean; importance: number;
  values: string[]; usual?: any; bins?: number[];
}
/** A picture of a node: each kind has some of these, in places of 0..1. */
interface Picture extends Facts { bins: number[][]; cuts: number[]; bars: any[]; more: number; grid: number[][]; points?: number[][]; means: number[]; line: number[][] }
type Draw = (doc: Doc, picture: Picture, area: Area) => SVGElement[];
/** The quality of a tree on some rows. */
interface Measured extends Facts { name: string; metrics: Facts[]; confusion: number[][]; residuals: Residuals }
interface Residuals extends Facts { bins: number[]; quantiles: string[][]; ends: string[]; scale: string[]; grid: number[][] }
/** What trees grown again say of the tests of a tree. */
interface Stability { lines: string[]; tests: any[][]; more: number }
type Curve = [name: string, kind: string, values: any[]];
/** A curve, and what it is with a standard error less and more. */
type Band = [string, number[], number[]];

/** What decides which nodes are shown, and where. */
interface Folds { folded: Set<number>; step: number }
interface Shown extends Folds { orientation: string; root?: number }
/** How large a tree is seen; wide: the width of its lines */
interface Scale { level: Level; k: number; wide?: number }
interface LevelOf { least: number; most: number; from: number; gaps: [number, number, number, number] }
interface Transform { x: number; y: number; k: number }
interface Placed { box: Box; look: Look }
/** drawn: for what its element was drawn */
interface Drawn extends Placed { element: SVGElement; drawn: string }
interface PlacedNode { box: Box; node: NodeInfo }
/** few: whether all dots have names */
interface DotPlace { k: number; named: Set<number>; box: Box; few: boolean }
