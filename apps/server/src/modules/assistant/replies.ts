import type { Readable } from 'node:stream'
import { inBackground } from '../../lib/background.ts'
import { AppError } from '../../lib/errors.ts'
import { isUuid, newId } from '../../lib/ids.ts'
import { createReplyLog, type ReplyLog } from './reply-log.ts'

/** A connection may be gone for so long before its reply ends. */
export const GRACE_MS = 30_000
/** A reply can be read again for so long after its end. */
const KEPT_MS = 10 * 60_000
/** Replies of one person that are made at a time, in chats of their own; and that are kept after their end. */
const AT_A_TIME = 5
const KEPT_OF_ONE = 10

/** Why a reply ended before its answer did. */
export type Ending = 'stopped' | 'left' | 'shutdown'

export interface Owner {
  tenantId: string
  loginId: string
}

/** A reply that is being made, apart from the connections that read it. */
export interface Reply extends Owner {
  readonly id: string
  readonly chatId: string
  readonly log: ReplyLog
  /** Aborted with an `Ending` as its reason. */
  readonly signal: AbortSignal
}

export interface Replies {
  /**
   * Begins a reply; `work` makes it, and must end soon once the signal is aborted. It ends when `work` does.
   * @throws AppError assistant.busy while another reply of the chat is read by somebody, or too many in other chats;
   * server.stopping
   */
  open(owner: Owner, chatId: string, work: (reply: Reply) => Promise<void>): Reply
  /** Reads from the beginning. */
  read(reply: Reply): Readable
  /**
   * Goes on behind an event id `{replyId}:{n}`.
   * @throws AppError assistant.reply_not_found: not there any more, or somebody else's
   */
  resume(owner: Owner, eventId: string): Readable
  /** Ends it now. @throws AppError assistant.reply_not_found */
  stop(owner: Owner, replyId: string): Promise<void>
  /** Ends the replies of one chat, or of all chats of a person. */
  stopChats(owner: Owner, chatId?: string): Promise<void>
  /** Ends every reply and takes no more. */
  close(): Promise<void>
}

interface Running {
  reply: Reply
  control: AbortController
  done: Promise<void>
  grace: NodeJS.Timeout | undefined
}

export function createReplies(options: { graceMs?: number; keptMs?: number } = {}): Replies {
  const { graceMs = GRACE_MS, keptMs = KEPT_MS } = options
  const known = new Map<string, Running>()
  let closed = false

  const ofOwner = (owner: Owner, { reply }: Running) =>
    reply.tenantId === owner.tenantId && reply.loginId === owner.loginId

  function own(owner: Owner, id: string): Running {
    const running = known.get(id)
    if (!running || !ofOwner(owner, running)) throw new AppError('assistant.reply_not_found')
    return running
  }

  async function end(running: Running, why: Ending): Promise<void> {
    clearTimeout(running.grace)
    if (!running.reply.log.ended) running.control.abort(why)
    await running.done
  }

  /** A reply without a reader is kept for half a minute. */
  function watchReaders(running: Running): void {
    clearTimeout(running.grace)
    if (running.reply.log.readers > 0 || running.reply.log.ended) return
    running.grace = setTimeout(() => inBackground('ending a reply that nobody reads', end(running, 'left')), graceMs)
    running.grace.unref()
  }

  /** The reply of the same chat that is not over. One that nobody reads makes room. */
  function makeRoom(owner: Owner, chatId: string): void {
    for (const running of known.values()) {
      if (!ofOwner(owner, running) || running.reply.chatId !== chatId || running.reply.log.ended) continue
      if (running.control.signal.aborted) continue
      if (running.reply.log.readers > 0) throw new AppError('assistant.busy')
      inBackground('ending a reply that nobody reads', end(running, 'left'))
    }
  }

  return {
    open(owner, chatId, work) {
      if (closed) throw new AppError('server.stopping', { retryAfterSeconds: 2 })
      makeRoom(owner, chatId)
      const theirs = [...known.values()].filter(running => ofOwner(owner, running))
      if (theirs.filter(({ reply }) => !reply.log.ended && !reply.signal.aborted).length >= AT_A_TIME)
        throw new AppError('assistant.busy')
      const over = theirs.filter(({ reply }) => reply.log.ended)
      for (const { reply } of over.slice(0, Math.max(0, over.length + 1 - KEPT_OF_ONE))) known.delete(reply.id)
      const id = newId()
      const control = new AbortController()
      const log = createReplyLog(id)
      // Its id is known before its first word, so that it can be stopped.
      log.add(['text', { data: '' }])
      const reply: Reply = { id, chatId, log, signal: control.signal, ...owner }
      const running: Running = { reply, control, done: Promise.resolve(), grace: undefined }
      known.set(id, running)
      running.done = work(reply).finally(() => {
        log.end()
        clearTimeout(running.grace)
        setTimeout(() => known.delete(id), keptMs).unref()
      })
      log.onReaders(() => watchReaders(running))
      return reply
    },
    read: reply => reply.log.read(-1),
    resume(owner, eventId) {
      const colon = eventId.indexOf(':')
      const id = eventId.slice(0, colon)
      const after = Number(/^\d{1,9}$/.test(eventId.slice(colon + 1)) ? eventId.slice(colon + 1) : Number.NaN)
      if (!isUuid(id) || Number.isNaN(after)) throw new AppError('assistant.reply_not_found')
      const { reply } = own(owner, id)
      if (!reply.log.holds(after)) throw new AppError('assistant.reply_not_found')
      return reply.log.read(after)
    },
    stop: (owner, replyId) => end(own(owner, replyId), 'stopped'),
    async stopChats(owner, chatId) {
      const theirs = [...known.values()].filter(
        running => ofOwner(owner, running) && (chatId === undefined || running.reply.chatId === chatId),
      )
      await Promise.all(theirs.map(running => end(running, 'stopped')))
    },
    async close() {
      closed = true
      await Promise.all([...known.values()].map(running => end(running, 'shutdown')))
    },
  }
}
