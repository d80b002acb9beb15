import type { ServerResponse } from 'node:http'

/** How a simulated carrier behaves from now on. */
export type Behaviour =
  | { kind: 'well' }
  /** Answers after so long. */
  | { kind: 'slow'; ms: number }
  /** Reads the request, carries it out, and never answers. */
  | { kind: 'silent' }
  /** Cuts the answer in the middle. */
  | { kind: 'half' }
  | { kind: 'status'; status: number; body?: string }
  /** HTTP 200 with an error of the carrier's own inside. */
  | { kind: 'error'; code: string; message: string }
  /** Forgets every token that it gave. */
  | { kind: 'forget-tokens' }

/** Sends an answer as the behaviour wants it. */
export function send(response: ServerResponse, behaviour: Behaviour, body: string, type: string): void {
  if (behaviour.kind === 'silent') return
  if (behaviour.kind === 'status') {
    response.writeHead(behaviour.status, { 'content-type': 'text/plain' }).end(behaviour.body ?? '')
    return
  }
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  if (behaviour.kind === 'half') {
    response.write(body.slice(0, Math.ceil(body.length / 2)), () => response.destroy())
    return
  }
  if (behaviour.kind === 'slow') setTimeout(() => response.end(body), behaviour.ms)
  else response.end(body)
}
