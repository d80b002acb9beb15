import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '../lib/ids.ts'
import { PATIENCE } from '../lib/testing/patience.ts'
import { type ScriptedHouse, scriptedHouse } from './testing/scripted-house.ts'

/** The assistant over real HTTP: questions, streams and their ends. Approvals: assistant-approvals.int.test.ts */
describe('a question', () => {
  let house: ScriptedHouse
  let token: string
  beforeAll(async () => {
    house = await scriptedHouse({ graceMs: 300 })
    token = await house.token('owner')
  })
  afterAll(() => house.close())

  it('is answered as numbered events that end with the stream', async () => {
    const answer = await house.ask(token, 'say one two three')
    await answer.ended
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    expect(answer.text).toBe('one two three ')
    expect(answer.events.map(event => event.id)).toEqual([0, 1, 2, 3].map(n => `${answer.replyId}:${n}`))
    expect(answer.raw).toContain(`id: ${answer.replyId}:1\ndata: ["text",{"data":"one "}]\n\n`)
  })

  it('keeps line breaks, quotes and any script whole in one line of data', async () => {
    const words = '“引号”\\"\u{1f600}中文'
    const answer = await house.ask(token, `say ${words}`)
    await answer.ended
    expect(answer.text.trim()).toBe(words)
  })

  it('that is empty or all spaces is refused in words, before any stream', async () => {
    for (const question of ['', '   ', '\u3000\n\t ']) {
      const answer = await house.ask(token, question)
      expect(answer.status).toBe(422)
      expect(await answer.json()).toMatchObject({
        code: 'assistant.question_empty',
        message: 'The question cannot be all spaces!',
      })
    }
  })

  it('has up to 4,000 characters, also of four bytes each', async () => {
    const most = `say ${'字'.repeat(3996)}`
    const answer = await house.ask(token, most)
    await answer.ended
    expect(answer.text.trim()).toHaveLength(3996)
    expect((await house.ask(token, `${most}字`)).status).toBe(422)
    const emoji = await house.ask(token, `say ${'\u{1f600}'.repeat(3990)}`)
    await emoji.ended
    expect(emoji.status).toBe(200)
  })

  it('with a character that cannot be kept is refused', async () => {
    expect((await house.ask(token, 'say a\0b')).status).toBe(422)
    const half = await fetch(`${house.url}/api/v1/assistant/chat?input=say%20%ED%A0%80`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(half.status).toBeLessThan(500)
    await half.body?.cancel()
  })

  it('needs a sign-in, told as a status and not in a stream', async () => {
    const answer = await house.ask('nobody', 'say hello')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('content-type')).toContain('application/json')
  })

  it('is asked by HEAD without being answered', async () => {
    const before = await replies()
    const head = await fetch(`${house.url}/api/v1/assistant/chat?input=say%20hi`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(head.status).toBe(200)
    expect(await replies()).toBe(before)
  })

  it('is told in its own language what went wrong', async () => {
    const answer = await house.ask(token, 'fail')
    await answer.ended
    expect(answer.events.at(-1)).toMatchObject({ kind: 'error', data: '', code: 'server.error' })
    expect(answer.events.at(-1)!.message).not.toContain('inside of the engine')
    const chinese = await house.ask(token, 'use 不存在的工具')
    await chinese.ended
    expect(chinese.text).toContain('没有名为')
  })

  it('leaves a line of what it took and none of what it said', async () => {
    const answer = await house.ask(token, 'use read_device {"device":"very secret name"}')
    await answer.ended
    await vi.waitFor(async () => {
      const { rows } = await house.db.superuser.query('select * from assistant_replies where id = $1', [answer.replyId])
      expect(rows[0]).toMatchObject({ state: 'done', engine: 'builtin', prompt_tokens: 3, tools: ['read_device'] })
      expect(JSON.stringify(rows[0])).not.toContain('very secret name')
    }, PATIENCE)
  })

  it('is remembered in its conversation, and in no other', async () => {
    const chatId = newId()
    await (await house.ask(token, 'say alpha', { chatId })).ended
    const same = await historyOf(chatId)
    expect(same.history).toEqual([
      { role: 'user', content: 'say alpha' },
      { role: 'assistant', content: 'alpha' },
    ])
    expect((await historyOf(newId())).history).toEqual([])
  })

  it('is not kept with the keys that stand in it', async () => {
    const chatId = newId()
    await (await house.ask(token, 'say twk_abcdefgh12345678 is my key', { chatId })).ended
    const text = JSON.stringify(await historyOf(chatId))
    expect(text).toContain('[secret]')
    expect(text).not.toContain('twk_abcdefgh')
  })

  it('is forgotten when its conversation is, whoever else has one of that id', async () => {
    const chatId = newId()
    const other = await house.token('colleague')
    for (const who of [token, other]) await (await house.ask(who, 'say beta', { chatId })).ended
    await vi.waitFor(async () => expect((await historyOf(chatId)).history.length).toBeGreaterThan(1), PATIENCE)
    expect((await house.send(token, 'DELETE', `assistant/chats/${chatId}`)).status).toBe(200)
    expect((await historyOf(chatId)).history).toEqual([])
    expect((await historyOf(chatId, other)).history.length).toBeGreaterThan(1)
    expect((await house.send(other, 'DELETE', 'assistant/chats')).status).toBe(200)
    expect((await historyOf(chatId, other)).history).toEqual([])
    expect((await house.send(token, 'DELETE', `assistant/chats/${newId()}`)).status).toBe(200)
  })

  it('may be rated by the one who asked it only', async () => {
    const answer = await house.ask(token, 'say fine')
    await answer.ended
    const path = `assistant/replies/${answer.replyId}/rating`
    expect((await house.send(token, 'PUT', path, { rating: 'up' })).status).toBe(200)
    const other = await house.send(await house.token('colleague'), 'PUT', path, { rating: 'down' })
    expect(other).toMatchObject({ status: 404, body: { code: 'assistant.reply_not_found' } })
  })

  describe('whose connection is cut', () => {
    it('goes on behind the last event', async () => {
      const answer = await house.ask(token, 'wait')
      await answer.until(event => event.data === 'waiting')
      answer.cut()
      const again = await house.resume(token, `${answer.replyId}:0`)
      await again.until(event => event.data === 'waiting')
      expect(again.events.map(event => event.id)).toEqual([`${answer.replyId}:1`])
      await house.send(token, 'POST', `assistant/replies/${answer.replyId}/stop`)
      await again.ended
    })

    it('can be read again when it is over', async () => {
      const answer = await house.ask(token, 'say one two three')
      await answer.ended
      const rest = await house.resume(token, `${answer.replyId}:1`)
      await rest.ended
      expect(rest.text).toBe('two three ')
      const nothing = await house.resume(token, `${answer.replyId}:3`)
      await nothing.ended
      expect(nothing.status).toBe(200)
      expect(nothing.events).toEqual([])
    })

    it('ends when nobody comes back', async () => {
      const aborted = house.engine.aborted
      const answer = await house.ask(token, 'wait')
      await answer.until(event => event.data === 'waiting')
      answer.cut()
      await vi.waitFor(() => expect(house.engine.aborted).toBe(aborted + 1), PATIENCE)
      await vi.waitFor(async () => expect(await stateOf(answer.replyId)).toBe('stopped'), PATIENCE)
    })

    it('is found again by the one who asked, by nobody else and by no invented id', async () => {
      const answer = await house.ask(token, 'say mine')
      await answer.ended
      const other = await house.token('colleague')
      for (const [who, id] of [
        [other, `${answer.replyId}:0`],
        [token, `${newId()}:0`],
        [token, `${answer.replyId}:99`],
        [token, `${answer.replyId}:-1`],
        [token, `${answer.replyId}:x`],
        [token, 'nonsense'],
        [token, ':0'],
      ] as const) {
        const refused = await house.resume(who, id)
        expect(refused.status, id).toBe(404)
        expect((await refused.json()).code).toBe('assistant.reply_not_found')
      }
    })
  })

  describe('that is stopped', () => {
    it('frees its engine and ends the stream cleanly', async () => {
      const answer = await house.ask(token, 'wait')
      await answer.until(event => event.data === 'waiting')
      expect((await house.send(token, 'POST', `assistant/replies/${answer.replyId}/stop`)).status).toBe(200)
      await answer.ended
      expect(house.engine.answering).toBe(0)
      expect(answer.events.some(event => event.kind === 'error')).toBe(false)
      expect(await stateOf(answer.replyId)).toBe('stopped')
    })

    it('ends even when its engine listens to nothing', async () => {
      const answer = await house.ask(token, 'deaf')
      await answer.until(event => event.data === 'deaf')
      await house.send(token, 'POST', `assistant/replies/${answer.replyId}/stop`)
      await answer.ended
    })

    it('is stopped by the one who asked only', async () => {
      const answer = await house.ask(token, 'wait')
      await answer.until(event => event.data === 'waiting')
      const path = `assistant/replies/${answer.replyId}/stop`
      expect((await house.send(await house.token('colleague'), 'POST', path)).status).toBe(404)
      expect((await house.send(token, 'POST', path)).status).toBe(200)
      expect((await house.send(token, 'POST', `assistant/replies/${newId()}/stop`)).status).toBe(404)
    })
  })

  it('waits for the one before it in its chat, unless nobody reads that any more', async () => {
    const chatId = newId()
    const first = await house.ask(token, 'wait', { chatId })
    await first.until(event => event.data === 'waiting')
    const second = await house.ask(token, 'say hi', { chatId })
    expect(second.status).toBe(409)
    expect((await second.json()).code).toBe('assistant.busy')
    const elsewhere = await house.ask(token, 'say hi', { chatId: newId() })
    await elsewhere.ended
    expect(elsewhere.text).toBe('hi ')
    first.cut()
    await vi.waitFor(async () => {
      const third = await house.ask(token, 'say hi', { chatId })
      expect(third.status).toBe(200)
      await third.ended
    }, PATIENCE)
  })

  it('does not wait for a slow reader', async () => {
    const answer = await fetch(`${house.url}/api/v1/assistant/chat?input=flood%20800`, {
      headers: { authorization: `Bearer ${token}` },
    })
    // Nothing is read, and the engine is done all the same.
    await vi.waitFor(async () => {
      const { rows } = await house.db.superuser.query(
        `select state from assistant_replies where tenant_id = $1 order by created_at desc limit 1`,
        [house.tenantId],
      )
      expect(rows[0].state).toBe('done')
    }, PATIENCE)
    const text = await answer.text()
    expect(text.match(/"y{1000}"/g)).toHaveLength(800)
  })

  it('and what came of it is forgotten when it is old', async () => {
    const chatId = newId()
    const answer = await house.ask(token, 'use create_product {"name":"Old"}', { chatId })
    const { id } = await answer.asked()
    await house.send(token, 'POST', `assistant/approvals/${id}`, { decision: 'deny' })
    await answer.ended
    const left = async () => {
      const of = (table: string, column: string, value: string) =>
        house.db.superuser.query(`select 1 from ${table} where ${column} = $1`, [value])
      const rows = await Promise.all([
        of('assistant_chats', 'id', chatId),
        of('assistant_messages', 'chat_id', chatId),
        of('assistant_approvals', 'id', id),
        of('assistant_replies', 'id', answer.replyId),
      ])
      return rows.map(({ rowCount }) => (rowCount ?? 0) > 0)
    }
    const inDays = (days: number) => house.assistant.sweep(Date.now() + days * 24 * 3_600_000)
    await inDays(89)
    expect(await left()).toEqual([true, true, true, true])
    await inDays(91)
    expect(await left()).toEqual([false, false, false, true])
    await inDays(401)
    expect(await left()).toEqual([false, false, false, false])
  })

  it('never stands in a log', async () => {
    const lines: string[] = []
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const noisy = await scriptedHouse({ logger, graceMs: 20 })
    try {
      const who = await noisy.token('owner')
      await (await noisy.ask(who, 'fail canary-question')).ended
      await (await noisy.ask(who, 'use break_down {} canary-question')).ended
      const cut = await noisy.ask(who, 'wait canary-question')
      await cut.until(event => event.data === 'waiting')
      cut.cut()
      await vi.waitFor(() => expect(noisy.engine.aborted).toBe(1), PATIENCE)
      expect((await noisy.ask(who, `say ${'canary-question '.repeat(400)}`)).status).toBe(422)
      expect(lines.join('')).toContain('a reply failed')
      expect(lines.join('')).not.toContain('canary-question')
    } finally {
      await noisy.close()
    }
  })

  async function replies(): Promise<number> {
    return Number((await house.db.superuser.query('select count(*) from assistant_replies')).rows[0].count)
  }
  async function stateOf(id: string): Promise<string> {
    return (await house.db.superuser.query('select state from assistant_replies where id = $1', [id])).rows[0].state
  }
  async function historyOf(chatId: string, who = token) {
    const answer = await house.ask(who, 'history', { chatId })
    await answer.ended
    return JSON.parse(answer.text) as { history: object[]; mentions: object[]; waiting: object | null }
  }
})
