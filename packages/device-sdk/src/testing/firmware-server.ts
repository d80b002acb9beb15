import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves one file with ranges, and cuts connections where it is told to. */
export class FirmwareServer {
  /** Ranges as asked for; '' for everything. */
  readonly asked: string[] = []
  bytesSent = 0
  /** Places in the file at which the connection is cut, once each. */
  cuts: number[] = []
  /** Answers with this status instead, as often as it stands here. */
  statuses: number[] = []
  file: Buffer
  readonly #server: Server

  private constructor(file: Buffer) {
    this.file = file
    this.#server = createServer((request, response) => this.#serve(request, response))
  }

  static async start(file: Buffer): Promise<FirmwareServer> {
    const server = new FirmwareServer(file)
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/file`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const range = request.headers.range ?? ''
    this.asked.push(range)
    const status = this.statuses.shift()
    if (status !== undefined) {
      response.writeHead(status).end()
      return
    }
    const start = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0)
    const { length } = this.file
    response.writeHead(range ? 206 : 200, {
      'content-length': length - start,
      ...(range ? { 'content-range': `bytes ${start}-${length - 1}/${length}` } : {}),
    })
    const cut = this.cuts.find(place => place > start)
    if (cut === undefined) {
      this.bytesSent += length - start
      response.end(this.file.subarray(start))
      return
    }
    this.cuts = this.cuts.filter(place => place !== cut)
    this.bytesSent += cut - start
    // Gone only when the bytes before it are out.
    response.write(this.file.subarray(start, cut), () => setImmediate(() => response.socket?.destroySoon()))
  }
}
