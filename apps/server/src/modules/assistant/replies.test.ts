import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '../../lib/ids.ts'
import { createReplies, GRACE_MS, type Reply } from './replies.ts'
import { createReplyLog, PING_MS } from './reply-log.ts'

const owner = { tenantId: newId(), loginId: newId() }

/** Work that goes on until it is told to end, and says why it ended. */
function untilAborted(reply: Reply): Promise<void> {
  return new Promise(resolve => reply.signal.addEventListener('abort', () => resolve(), { once: true }))
}

describe('a reply apart from its connection', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('lives half a minute without a reader, and no longer', async () => {
    const replies = createReplies()
    const reply = replies.open(owner, newId(), untilAborted)
    replies.read(reply).destroy()
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1)
    expect(reply.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(reply.signal.reason).toBe('left')
    expect(reply.log.ended).toBe(true)
  })

  it('lives on when it is found again', async () => {
    const replies = createReplies()
    const reply = replies.open(owner, newId(), untilAborted)
    replies.read(reply).destroy()
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1)
    replies.resume(owner, `${reply.id}:0`)
    await vi.advanceTimersByTimeAsync(10 * GRACE_MS)
    expect(reply.signal.aborted).toBe(false)
  })

  it('lives as long as one of two readers is there', async () => {
    const replies = createReplies()
    const reply = replies.open(owner, newId(), untilAborted)
    const first = replies.read(reply)
    replies.resume(owner, `${reply.id}:0`)
    first.destroy()
    await vi.advanceTimersByTimeAsync(2 * GRACE_MS)
    expect(reply.signal.aborted).toBe(false)
  })

  it('can be read for ten minutes after its end', async () => {
    const replies = createReplies()
    const reply = replies.open(owner, newId(), async () => {})
    await vi.advanceTimersByTimeAsync(10 * 60_000 - 1)
    expect(() => replies.resume(owner, `${reply.id}:0`)).not.toThrow()
    await vi.advanceTimersByTimeAsync(1)
    expect(() => replies.resume(owner, `${reply.id}:0`)).toThrow('assistant.reply_not_found')
  })

  it('is not opened any more when the server stops, which ends the others', async () => {
    const replies = createReplies()
    const reply = replies.open(owner, newId(), untilAborted)
    await replies.close()
    expect(reply.signal.reason).toBe('shutdown')
    expect(() => replies.open(owner, newId(), untilAborted)).toThrow('server.stopping')
  })

  it('is one of five that a person may have made at a time', async () => {
    const replies = createReplies()
    const open = () => replies.open(owner, newId(), untilAborted)
    const five = Array.from({ length: 5 }, open)
    for (const reply of five) replies.read(reply)
    expect(open).toThrow('assistant.busy')
    expect(() => replies.open({ ...owner, loginId: newId() }, newId(), untilAborted)).not.toThrow()
    await replies.stop(owner, five[2]!.id)
    expect(open).not.toThrow()
  })

  it('is kept among the last ten of its person', async () => {
    const replies = createReplies()
    const ids: string[] = []
    for (let n = 0; n < 12; n++) {
      ids.push(replies.open(owner, newId(), async () => {}).id)
      await vi.advanceTimersByTimeAsync(0)
    }
    expect(() => replies.resume(owner, `${ids[1]}:0`)).toThrow('assistant.reply_not_found')
    expect(() => replies.resume(owner, `${ids[2]}:0`)).not.toThrow()
  })

  it('shows that it lives while nothing is said', async () => {
    const log = createReplyLog(newId())
    const reader = log.read(-1)
    const chunks: string[] = []
    reader.on('data', chunk => chunks.push(String(chunk)))
    await vi.advanceTimersByTimeAsync(2 * PING_MS)
    expect(chunks).toEqual([': ping\n\n', ': ping\n\n'])
    log.end()
    await vi.advanceTimersByTimeAsync(4 * PING_MS)
    expect(chunks).toHaveLength(2)
    expect(reader.readableEnded).toBe(true)
  })
})

describe('the events of a reply', () => {
  const big = 'x'.repeat(100_000)

  it('are kept up to a megabyte; who is further behind is cut', async () => {
    const log = createReplyLog('r')
    const slow = log.read(-1)
    const failed = new Promise(resolve => slow.on('error', resolve))
    slow.once('readable', () => {})
    for (let n = 0; n < 30; n++) log.add(['text', { data: big }])
    await expect(failed).resolves.toMatchObject({ message: 'the reader is too far behind' })
    expect(log.holds(-1)).toBe(false)
    expect(log.holds(18)).toBe(false)
    expect(log.holds(20)).toBe(true)
    expect(log.readers).toBe(0)
  })

  it('reach a reader whole and in order, however slowly he reads', async () => {
    const log = createReplyLog('r')
    const reader = log.read(-1)
    for (let n = 0; n < 8; n++) log.add(['text', { data: big + n }])
    log.end()
    let text = ''
    for await (const chunk of reader) {
      text += chunk
      await new Promise(resolve => setImmediate(resolve))
    }
    expect([...text.matchAll(/^id: r:(\d+)$/gm)].map(match => Number(match[1]))).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(text).toHaveLength(8 * `id: r:0\ndata: ["text",{"data":"${big}0"}]\n\n`.length)
  })
})
