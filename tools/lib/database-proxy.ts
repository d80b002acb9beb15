import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

/** What the way to the database does: it carries, it swallows without a word, or it refuses and cuts. */
export type Way = 'open' | 'hole' | 'cut'

/**
 * Stands between a server and its database on TCP, as the network between them does. A connection that a hole has seen
 * stays dead when the hole ends, on both sides and without a word, as after a router that has forgotten it; only new ones
 * get through. Cut: everything ends at once and nothing is let in.
 */
export class DatabaseProxy {
  private way: Way = 'open'
  private readonly pairs = new Set<{ dead: boolean; sockets: readonly Socket[] }>()

  private constructor(
    readonly port: number,
    private readonly target: number,
    private readonly server: Server,
  ) {}

  static async open(target: number): Promise<DatabaseProxy> {
    const port = await freePort()
    const server = createServer()
    const proxy = new DatabaseProxy(port, target, server)
    server.on('connection', client => proxy.carry(client))
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    return proxy
  }

  /** Changes what happens from now on. */
  set(way: Way): void {
    this.way = way
    for (const pair of this.pairs) {
      if (way === 'hole') pair.dead = true
      if (way === 'cut') for (const socket of pair.sockets) socket.destroy()
    }
  }

  /** Ends it with every connection, forgotten ones too. */
  async close(): Promise<void> {
    for (const { sockets } of this.pairs) for (const socket of sockets) socket.destroy()
    await new Promise(resolve => this.server.close(resolve))
  }

  private carry(client: Socket): void {
    client.on('error', () => {})
    if (this.way === 'cut') {
      client.resetAndDestroy()
      return
    }
    const sockets = [client]
    const pair = { dead: this.way === 'hole', sockets }
    this.pairs.add(pair)
    client.on('data', bytes => pair.dead || database?.write(bytes))
    const ended = () => {
      // The end of the one side is news that a dead connection does not carry either.
      if (!pair.dead) for (const socket of sockets) socket.destroy()
      if (sockets.every(socket => socket.destroyed)) this.pairs.delete(pair)
    }
    client.on('close', ended)
    let database: Socket | undefined
    if (pair.dead) return
    database = connect(this.target, '127.0.0.1')
    sockets.push(database)
    database.setNoDelay(true)
    client.setNoDelay(true)
    database.on('error', () => {})
    database.on('data', bytes => pair.dead || client.write(bytes))
    database.on('close', ended)
  }
}
