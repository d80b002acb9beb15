import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadTexts, registerTexts } from '../../../lib/i18n.ts'
import { setNavigator } from '../../../lib/navigation.ts'
import { endSession, keepToken } from '../../../lib/session.ts'
import { fakeBrowser, startTexts } from '../../../lib/testing.ts'
import { usePanel } from '../panel-state.ts'
import { ask, changeCard, newChat, stop } from './chat.ts'
import { emptyChat, useChat } from './chat-store.ts'

fakeBrowser()
const called: string[] = []
let answer: () => Response
/** Sends the next bytes of the reply that is being given. */
let push: (text: string) => void
let finish: () => void

beforeAll(async () => {
  await startTexts()
  registerTexts({ './assistant/locales/zh.json': async () => (await import('../locales/zh.json')).default })
  await loadTexts('common', 'assistant')
})
beforeEach(() => {
  called.length = 0
  setNavigator(() => {})
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('document', { hidden: true })
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    called.push(`${init.method} ${path.split('?')[0]}`)
    if (!path.startsWith('/api/v1/assistant/chat?')) return Response.json({ ok: true })
    const response = answer()
    return response
  })
  keepToken({ access_token: 't', thingwrightAppId: 'app', id: 'u', username: 'demo' })
  useChat.setState(emptyChat())
  usePanel.setState({ open: true, unread: false })
  answer = () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          push = text => controller.enqueue(new TextEncoder().encode(text))
          finish = () => controller.close()
        },
      }),
    )
})

const says = (n: number, data: string) => `id: r1:${n}\ndata: ["text",{"data":"${data}"}]\n\n`
const reply = () => useChat.getState().messages[1]!
const states = () => useChat.getState().messages.map(({ type, state }) => `${type}${state}`)

describe('a conversation', () => {
  it('goes through the states of the specification: question 0, streaming 1, finished 2', async () => {
    const work = ask('  你能做什么?')
    expect(states()).toEqual(['R0', 'L1'])
    expect(useChat.getState()).toMatchObject({ asking: true, name: '你能做什么?', draft: '' })
    await expect.poll(() => called).toContain('GET /api/v1/assistant/chat')
    push(says(0, ''))
    push(says(1, '温度'))
    await expect.poll(() => reply()).toMatchObject({ data: '温度', state: 1, replyId: 'r1' })
    push(says(2, '正常'))
    finish()
    await work
    expect(states()).toEqual(['R0', 'L2'])
    expect(reply().data).toBe('温度正常')
    expect(useChat.getState().asking).toBe(false)
  })

  it('takes no second question and no new chat while a reply is being given', async () => {
    const work = ask('a')
    await ask('b')
    newChat()
    expect(states()).toEqual(['R0', 'L1'])
    await expect.poll(() => called).toHaveLength(1)
    push(says(0, 'x'))
    finish()
    await work
    newChat()
    expect(states()).toEqual([])
  })

  it('appends a refusal by its status, without asking again', async () => {
    answer = () => Response.json({ code: 'rate.limited', message: '请求过于频繁' }, { status: 429 })
    await ask('a')
    expect(reply()).toMatchObject({ state: 2, data: '问答出错,错误代码:429\n\n请求过于频繁' })
    expect(called).toHaveLength(1)
    expect(useChat.getState().asking).toBe(false)
  })

  it('appends an error of the stream, and says when nothing came at all', async () => {
    const work = ask('a')
    await expect.poll(() => called).toHaveLength(1)
    push(says(0, '到这里'))
    push('data: ["error",{"data":"","code":"x.y","message":"模型无法访问"}]\n\n')
    finish()
    await work
    expect(reply().data).toBe('到这里\n\n问答出错,错误信息:模型无法访问')
    const next = ask('b')
    await expect.poll(() => called).toHaveLength(2)
    finish()
    await next
    expect(useChat.getState().messages[3]!.data).toBe('问答出错,错误信息:服务器没有返回内容')
  })

  it('is stopped here at once and on the server by the name of the reply', async () => {
    const work = ask('a')
    await expect.poll(() => called).toHaveLength(1)
    push(says(0, '一半'))
    await expect.poll(() => reply().data).toBe('一半')
    stop()
    await work
    await expect.poll(() => called).toContain('POST /api/v1/assistant/replies/r1/stop')
    expect(reply()).toMatchObject({ state: 2, data: '一半' })
    expect(useChat.getState().asking).toBe(false)
  })

  it('says on the button when a reply ended while the window was closed', async () => {
    const work = ask('a')
    await expect.poll(() => called).toHaveLength(1)
    usePanel.setState({ open: false })
    push(says(0, 'x'))
    finish()
    await work
    expect(usePanel.getState().unread).toBe(true)
  })

  it('keeps a card that changed outside the stream, in a reply that still comes as well', async () => {
    const work = ask('a')
    await expect.poll(() => called).toHaveLength(1)
    const card = (state: string) => ({ kind: 'activity', id: 'c', tool: 't', title: 'T', state })
    push(`id: r1:0\ndata: ${JSON.stringify(['card', { data: '', card: card('running') }])}\n\n`)
    await expect.poll(() => reply().cards).toHaveLength(1)
    changeCard(reply().key, card('failed') as never)
    push(says(1, 'x'))
    finish()
    await work
    expect(reply().cards).toEqual([{ at: 0, card: card('failed') }])
    changeCard(reply().key, card('done') as never)
    expect(reply().cards).toEqual([{ at: 0, card: card('done') }])
  })

  it('is gone with the person', async () => {
    const work = ask('a')
    await expect.poll(() => called).toHaveLength(1)
    push(says(0, 'x'))
    endSession()
    await work
    expect(useChat.getState()).toMatchObject({ messages: [], asking: false, name: '' })
  })
})
