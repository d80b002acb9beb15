import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Stands between a client and PostgreSQL's socket, and loses what it is told to lose. */
export interface CuttingProxy {
  /** Folder to be used as `host`. */
  host: string
  /** Loses the next answer of the server that matches, and cuts the connection: the client never learns of it. */
  loseNextAnswer(matches?: (bytes: Buffer) => boolean): void
  lost(): number
  /** While on, whatever is sent either way is lost without a word, and connections stay open: a black hole. */
  swallow(on: boolean): void
  /** Connections that were opened, and chunks that were sent, while it swallowed. */
  swallowed(): { connections: number; chunks: number }
  /** Connections that there are now are dead for good, without a word to anybody; new ones are carried. */
  forget(): void
  close(): Promise<void>
}

export async function cuttingProxy(target: { host: string; port: number }): Promise<CuttingProxy> {
  const host = mkdtempSync(join(tmpdir(), 'tw-cut-'))
  let lose: ((bytes: Buffer) => boolean) | null = null
  let lost = 0
  let swallowing = false
  const swallowed = { connections: 0, chunks: 0 }
  const sockets = new Set<Socket>()
  const forgotten = new WeakSet<Socket>()
  const server = createServer(client => {
    if (swallowing) swallowed.connections++
    const database = createConnection(`${target.host}/.s.PGSQL.${target.port}`)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        if (forgotten.has(client)) return
        client.destroy()
        database.end()
      })
    }
    const isLost = () => {
      const gone = swallowing || forgotten.has(client)
      if (gone) swallowed.chunks++
      return gone
    }
    client.on('data', bytes => isLost() || database.write(bytes))
    database.on('data', bytes => {
      if (isLost()) return
      if (!lose?.(bytes)) return client.write(bytes)
      lose = null
      lost++
      client.destroy()
    })
  })
  await new Promise<void>(resolve => server.listen(join(host, `.s.PGSQL.${target.port}`), resolve))
  return {
    host,
    loseNextAnswer(matches = () => true) {
      lose = matches
    },
    lost: () => lost,
    swallow(on) {
      swallowing = on
    },
    swallowed: () => ({ ...swallowed }),
    forget() {
      for (const socket of sockets) forgotten.add(socket)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
      rmSync(host, { recursive: true, force: true })
    },
  }
}
