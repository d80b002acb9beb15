import Dexie, { type Table } from 'dexie'
import type { AssistantMessage, ChatRecord } from '../model.ts'

/** A conversation in the list: without its content. */
export type ChatRow = Required<Pick<ChatRecord, 'id' | 'name' | 'time' | 'chatId'>>

/** The names a conversation is given are cut to this; a first question may be a whole manual. */
export const NAME_MAX = 200

/**
 * The conversations of one person in this browser: database `thingwright-assistant-{userId}`, version 1, one table
 * named after the user id (interfaces.md §5). Rejects where the browser has no database (or refuses it).
 */
export class ChatHistory {
  private readonly db: Dexie
  private readonly table: Table<ChatRecord, number>

  constructor(userId: string) {
    this.db = new Dexie(`thingwright-assistant-${userId}`)
    this.db.version(1).stores({ [userId]: '++id,time' })
    this.table = this.db.table(userId)
    // Another tab wants to delete or to renew the database: it must not wait for this one.
    this.db.on('versionchange', () => this.db.close())
  }

  /** Whether it can be used: some browsers have the interface and refuse it, in private windows for instance. */
  async usable(): Promise<boolean> {
    if (typeof indexedDB === 'undefined' || indexedDB === null) return false
    try {
      await this.db.open()
      return true
    } catch {
      return false
    }
  }

  /** Newest first; `q` is looked for in names and texts. One more than `limit` means that there are more. */
  async list(q: string, limit: number): Promise<ChatRow[]> {
    const wanted = q.trim().toLowerCase()
    const newest = this.table.orderBy('time').reverse()
    const found = await (wanted === '' ? newest : newest.filter(chat => holds(chat, wanted))).limit(limit + 1).toArray()
    return found.map(({ id, name, time, chatId }) => ({ id: id!, name, time, chatId }))
  }

  get(id: number): Promise<ChatRecord | undefined> {
    return this.table.get(id)
  }

  /**
   * Keeps a conversation. What another tab wrote into the same one meanwhile stays: messages are joined one by one.
   * A conversation that was deleted meanwhile comes back only when `create` says so (something new was asked in it).
   * Returns what is kept now; null when it was deleted.
   */
  save(chat: ChatRecord, create: boolean): Promise<ChatRecord | null> {
    return this.db.transaction('rw', this.table, async () => {
      const stored = chat.id === undefined ? undefined : await this.table.get(chat.id)
      if (!stored) {
        if (!create) return null
        const { id: _, ...fresh } = chat
        const id = await this.table.add(fresh)
        return { ...fresh, id }
      }
      // The name may have been changed meanwhile.
      const kept = { ...stored, content: joined(stored.content, chat.content), time: Math.max(stored.time, chat.time) }
      await this.table.put(kept)
      return kept
    })
  }

  /** @returns false when there is no such conversation any more */
  rename(id: number, name: string): Promise<boolean> {
    return this.db.transaction('rw', this.table, async () => {
      if (!(await this.table.get(id))) return false
      await this.table.update(id, { name: name.slice(0, NAME_MAX) })
      return true
    })
  }

  delete(id: number): Promise<void> {
    return this.table.delete(id)
  }

  clear(): Promise<void> {
    return this.table.clear()
  }

  close(): void {
    this.db.close()
  }
}

const holds = (chat: ChatRecord, wanted: string) =>
  chat.name.toLowerCase().includes(wanted) || chat.content.some(({ data }) => data.toLowerCase().includes(wanted))

/** The messages of two versions of a conversation: every message once, the later version of each, in order of time. */
export function joined(stored: readonly AssistantMessage[], mine: readonly AssistantMessage[]): AssistantMessage[] {
  const byKey = new Map(stored.map(message => [message.key, message]))
  for (const message of mine) {
    const other = byKey.get(message.key)
    if (!other || later(message, other)) byKey.set(message.key, message)
  }
  // Sorting is stable: a question and its reply keep their order within one moment.
  return [...byKey.values()].sort((a, b) => a.time - b.time)
}

/** Whether a version is not the older one: within one moment, a reply that has ended is later than one that comes. */
function later(mine: AssistantMessage, other: AssistantMessage): boolean {
  const ahead = age(mine) - age(other)
  return ahead > 0 || (ahead === 0 && mine.state >= other.state)
}

const age = ({ changed, time }: AssistantMessage) => changed ?? time
