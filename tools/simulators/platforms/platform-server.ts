import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Behaviour, send } from '../cards/behaviour.ts'

export interface Asked {
  method: string
  path: string
  /** Decoded, in the order of the address. */
  query: [name: string, value: string][]
  headers: IncomingMessage['headers']
  body: string
}

export interface PlatformServer {
  url: string
  behave(behaviour: Behaviour, times?: number): void
  close(): Promise<void>
}

/** An answer with a status of its own. */
export class Answered {
  constructor(
    readonly status: number,
    readonly value: unknown,
  ) {}
}

/** The part that every simulated platform has: a port, and how it behaves from now on. */
export async function servePlatform(
  options: { port?: number; host?: string },
  answer: (asked: Asked) => unknown,
  wrong: (code: string, message: string) => unknown,
): Promise<PlatformServer> {
  let behaviour: Behaviour = { kind: 'well' }
  let times = Number.POSITIVE_INFINITY
  const server = createServer((request, response) => {
    const serve = async () => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const url = new URL(request.url ?? '/', 'http://simulator')
      const how = times > 0 ? behaviour : ({ kind: 'well' } as const)
      times--
      const value =
        how.kind === 'error'
          ? wrong(how.code, how.message)
          : answer({
              method: request.method ?? 'GET',
              path: url.pathname,
              query: [...url.searchParams],
              headers: request.headers,
              body: Buffer.concat(parts).toString(),
            })
      const type = 'application/json;charset=UTF-8'
      if (value instanceof Answered && value.status !== 200)
        response.writeHead(value.status, { 'content-type': type }).end(JSON.stringify(value.value))
      else send(response, how, JSON.stringify(value instanceof Answered ? value.value : value), type)
    }
    serve().catch(() => response.destroy())
  })
  const host = options.host ?? '127.0.0.1'
  await new Promise<void>(resolve => server.listen(options.port ?? 0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    behave(next, howOften = Number.POSITIVE_INFINITY) {
      behaviour = next
      times = howOften
    },
    close: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** What a receiver answered to a push. */
export interface PushAnswer {
  status: number
  body: string
}

export async function postJson(url: string, value: unknown): Promise<PushAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  })
  return { status: answer.status, body: await answer.text() }
}
