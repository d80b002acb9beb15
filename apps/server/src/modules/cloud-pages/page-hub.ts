import type { PageValue } from '@thingwright/scene'
import { inBackground } from '../../lib/background.ts'
import { isAppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/log.ts'
import type { PageMessage } from '../../lib/news.ts'
import type { Ticket } from './page-tickets.ts'

/** One open page of a visitor. */
export interface VisitorSocket {
  send(text: string): void
  backlog(): number
  /** Ends it; the page asks again and is told why. */
  end(code: string): void
}

export interface PageHub {
  /** @throws AppError when the ticket is good no longer */
  enter(ticket: Ticket, socket: VisitorSocket): Promise<void>
  leave(socket: VisitorSocket): void
  /** These pages are different: who looks at them is looked at now. */
  changed(ids: readonly string[]): void
  /** Shown at once to who looks at the page now. */
  say(pageId: string, message: PageMessage): void
  visitors(): number
  close(): void
}

export interface PageHubDeps {
  /** Whether the visit may go on. @throws AppError */
  check(ticket: Ticket): Promise<Sight>
  /** Values of the elements that these roles may see. */
  values(ticket: Ticket, roles: readonly string[]): Promise<Record<string, PageValue>>
  logger: Logger
}

/** From one look at the values of a page to the next while somebody has it open: 1000 visitors cost one look. */
const EVERY_MS = 200
const CHECK_MS = 3_000
const MAX_BACKLOG = 1_048_576

/** What a visitor sees: the version, and as far as his roles let him. */
interface Sight {
  no: number
  /** The visitor's roles that show or hide elements of the page, sorted. */
  roles: readonly string[]
}

interface Group {
  ticket: Ticket
  no: number
  roles: readonly string[]
  sockets: Map<VisitorSocket, Ticket>
  last: Record<string, PageValue>
  timer: NodeJS.Timeout | null
  checkAt: number
  closed: boolean
}

/**
 * Sends the values of pages to who looks at them: one look for all who see the same page with the same devices and the
 * same roles.
 */
export function createPageHub(deps: PageHubDeps): PageHub {
  const groups = new Map<string, Group>()
  /** A visitor who left during a lookup is not added again. */
  const left = new WeakSet<VisitorSocket>()
  const keyOf = (ticket: Ticket, roles: readonly string[]) =>
    `${ticket.pageId} ${JSON.stringify([Object.entries(ticket.devices).sort(), roles])}`

  function end(key: string, group: Group): void {
    group.closed = true
    if (group.timer) clearTimeout(group.timer)
    groups.delete(key)
  }

  function drop(key: string, group: Group, socket: VisitorSocket): void {
    group.sockets.delete(socket)
    if (group.sockets.size === 0) end(key, group)
  }

  async function check(key: string, group: Group): Promise<void> {
    group.checkAt = performance.now() + CHECK_MS
    // Visitors with the same way in are checked once together.
    const asked = new Map<string, Promise<Sight | string>>()
    for (const [socket, ticket] of [...group.sockets]) {
      const way = `${ticket.epoch} ${ticket.loginId} ${ticket.linkId}`
      const answer =
        asked.get(way) ??
        deps.check(ticket).catch(error => {
          if (isAppError(error)) return error.code as string
          throw error
        })
      asked.set(way, answer)
      const found = await answer
      if (typeof found === 'string') {
        socket.end(found)
        drop(key, group, socket)
      } else if (found.roles.join() !== group.roles.join()) {
        // He sees other elements than those he looked with until now.
        drop(key, group, socket)
        socket.send('{"op":"changed"}')
        await join(ticket, found, socket)
      } else if (found.no !== group.no) {
        group.no = found.no
        for (const each of group.sockets.keys()) each.send('{"op":"changed"}')
      }
    }
  }

  async function turn(key: string, group: Group): Promise<void> {
    const began = performance.now()
    try {
      if (began >= group.checkAt) await check(key, group)
      if (group.closed) return
      const values = await deps.values(group.ticket, group.roles)
      const patch: Record<string, PageValue | null> = {}
      for (const [name, value] of Object.entries(values)) {
        const before = group.last[name]
        if (!before || before.v !== value.v || (before.ts !== value.ts && !name.includes('!'))) patch[name] = value
      }
      for (const name of Object.keys(group.last)) if (!(name in values)) patch[name] = null
      group.last = values
      if (Object.keys(patch).length > 0) {
        const text = JSON.stringify({ topic: 'page', type: 'patch', id: group.ticket.pageId, patch, ts: Date.now() })
        for (const socket of group.sockets.keys()) {
          if (socket.backlog() <= MAX_BACKLOG) socket.send(text)
          // A connection that is too slow gets all values again once it has caught up.
          else socket.end('page.slow')
        }
      }
    } catch (error) {
      deps.logger.warn({ err: error }, 'values of a page could not be told')
    } finally {
      const wait = Math.max(0, EVERY_MS - (performance.now() - began))
      if (!group.closed) group.timer = setTimeout(() => inBackground('values of pages', turn(key, group)), wait)
    }
  }

  /** Puts a visitor among those who see the same. */
  async function join(ticket: Ticket, { no, roles }: Sight, socket: VisitorSocket): Promise<void> {
    const key = keyOf(ticket, roles)
    let group = groups.get(key)
    if (!group) {
      const last = await deps.values(ticket, roles)
      if (left.has(socket)) return
      group = groups.get(key)
      if (!group) {
        const checkAt = performance.now() + CHECK_MS
        group = { ticket, no, roles, sockets: new Map(), last, timer: null, checkAt, closed: false }
        groups.set(key, group)
        const made = group
        made.timer = setTimeout(() => inBackground('values of pages', turn(key, made)), EVERY_MS)
      }
    }
    group.sockets.set(socket, ticket)
    socket.send(JSON.stringify({ op: 'subscribed', topic: 'page', snapshot: group.last, no: group.no }))
  }

  return {
    async enter(ticket, socket) {
      left.delete(socket)
      const sight = await deps.check(ticket)
      if (left.has(socket)) return
      socket.send('{"op":"ready"}')
      await join(ticket, sight, socket)
    },
    leave(socket) {
      left.add(socket)
      for (const [key, group] of groups) if (group.sockets.has(socket)) drop(key, group, socket)
    },
    changed(ids) {
      for (const [key, group] of groups)
        if (ids.includes(group.ticket.pageId)) inBackground('visitors of a page that changed', check(key, group))
    },
    say(pageId, message) {
      const text = JSON.stringify({ op: 'message', ...message })
      for (const group of groups.values())
        if (group.ticket.pageId === pageId)
          for (const socket of group.sockets.keys()) if (socket.backlog() <= MAX_BACKLOG) socket.send(text)
    },
    visitors: () => [...groups.values()].reduce((sum, group) => sum + group.sockets.size, 0),
    close() {
      for (const [key, group] of groups) {
        for (const socket of group.sockets.keys()) socket.end('server.stopping')
        end(key, group)
      }
    },
  }
}
