/** Talking to the studio's server: plain JSON, errors as sentences. */

export class Refused extends Error {
  /** @param {string} sentence @param {number} status */
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

/** @type {(method: string, path: string, body?: any) => Promise<Response>} body: an object, or a file that is sent as it is */
export async function ask(method, path, body) {
  const raw = body instanceof Blob;
  const headers = method === 'GET' ? undefined : {'Content-Type': raw ? 'application/octet-stream' : 'application/json'};
  const response = await fetch(path, {method, headers, body: method === 'GET' ? undefined : raw ? body : JSON.stringify(body ?? {})}).catch(() => {
    throw new Refused('The studio does not answer: it was stopped, or the connection is lost.', 0);
  });
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  throw new Refused(told.error ?? `The studio refused: status ${response.status}.`, response.status);
}

/** @type {<T = Answer>(path: string) => Promise<T>} */
export const get = async (path) => (await ask('GET', path)).json();

/** @type {(path: string, body?: any) => Promise<Answer>} */
export const post = async (path, body) => (await ask('POST', path, body)).json();

/** @type {() => Promise<Session>} */
export const getSession = () => get('/api/session');

/** Exchange the token of the address for the cookie, and take it out of the address. */
export async function enter() {
  const token = new URLSearchParams(location.hash.slice(1)).get('t');
  if (!token) return;
  history.replaceState(null, '', location.pathname);
  await post('/api/enter', {token});
}

/** Give a file to the person. @param {Response} response @param {string} name if the server has none */
export async function download(response, name) {
  const given = /filename="?([^";]+)/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = given ?? name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
