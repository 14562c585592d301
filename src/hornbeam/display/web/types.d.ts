/** The types that many modules name, for those who check them (`make web-check`); nothing of this is run. */

type Doc = import('./model.js').Doc;
type Fact = import('./model.js').Fact;
type Model = import('./model.js').Model;
type NodeInfo = import('./model.js').NodeInfo;
type State = import('./state.js').State;
type Store = import('./state.js').Store;
type Area = import('./view/shapes.js').Area;
type Box = import('./view/edges.js').Box;

/** A mounted viewer. */
interface View { model: Model; store: Store; update: (doc: Doc) => void; destroy: () => void }

/** What a page around the viewer offers: keys that do something to the tree, and panels in place of the viewer's own. */
interface Host {
  keys: Record<string, () => void>;
  /** what the keys do */
  keyWords: string[][];
  /** left, right, below, header, footer */
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
  /** with another table */
  reopen: (session: Session) => void;
  /** says what is refused */
  attempt: (work: () => Promise<any>) => Promise<any>;
}
type Facts = Record<string, any>;

/** What `GET /api/session` answers. */
interface Session {
  revision: number; end: number; branches: number[]; revisions: Facts[];
  columns: Facts[]; classes: any[]; settings: Facts; slots: Record<string, Facts[]>; data: Facts;
  recipes: string[]; limits: string[]; pruning: Facts[]; formats: string[]; demos: Facts[]; notes: string[];
  job: Facts | null; autosave: Facts; read_only: string | null;
}
