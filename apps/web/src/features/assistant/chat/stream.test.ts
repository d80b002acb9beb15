import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, SessionExpiredError } from '../../../lib/api/api-error.ts'
import { loadTexts } from '../../../lib/i18n.ts'
import { setNavigator } from '../../../lib/navigation.ts'
import { keepToken, useSession } from '../../../lib/session.ts'
import { fakeBrowser, startTexts } from '../../../lib/testing.ts'
import type { ReplyPart } from './fragments.ts'
import { askStream, RESUME_DELAY_MS, StreamCut } from './stream.ts'

fakeBrowser()
interface Sent {
  url: URL
  headers: Headers
  signal: AbortSignal
}
let sent: Sent[] = []
let answers: ((request: Sent) => Response | Promise<Response>)[] = []
const token = (name: string) => ({ access_token: name, thingwrightAppId: 'app', id: 'u-1', username: '陈 工' })

/** A stream of bytes in the given pieces; `cut` ends it as a broken connection does. */
function stream(pieces: (string | Uint8Array)[], { cut = false } = {}): Response {
  const waiting = pieces.map(piece => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece))
  return new Response(
    new ReadableStream({
      pull(controller) {
        const next = waiting.shift()
        if (next) controller.enqueue(next)
        else if (cut) controller.error(new TypeError('network error'))
        else controller.close()
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )
}
const event = (n: number, data: string, reply = 'r1') => `id: ${reply}:${n}\ndata: ["text",{"data":"${data}"}]\n\n`
const refusal = (status: number, code = 'x.y') =>
  new Response(JSON.stringify({ code, message: `no ${status}` }), { status })

beforeAll(async () => {
  await startTexts()
  await loadTexts('common')
})
beforeEach(() => {
  sent = []
  answers = []
  setNavigator(() => {})
  useSession.setState({ token: null, me: null, menus: null, accountStatus: null })
  keepToken(token('old'))
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const request = {
      url: new URL(path, 'http://console.test'),
      headers: new Headers(init.headers),
      signal: init.signal as AbortSignal,
    }
    sent.push(request)
    return answers.shift()!(request)
  })
})

const QUESTION = { input: '室温 & 湿度?', chatId: 'c-1' }
/** Asks and gives what was told, with the failure when there was one. */
async function asked(question: Parameters<typeof askStream>[0] = QUESTION, signal = new AbortController().signal) {
  const parts: ReplyPart[] = []
  const replies: string[] = []
  const error = await askStream(
    question,
    { onPart: part => void parts.push(part), onReply: id => void replies.push(id) },
    signal,
  ).then(
    () => null,
    (reason: unknown) => reason,
  )
  return { text: parts.map(part => (part.kind === 'text' ? part.text : `<${part.kind}>`)).join(''), replies, error }
}

describe('a question', () => {
  it('goes with the headers of a person and names the thing of the page', async () => {
    answers = [() => stream([event(0, 'a')])]
    await asked({ ...QUESTION, context: { kind: 'device', id: 'd-1' } })
    const [{ url, headers }] = sent as [Sent]
    expect(url.pathname).toBe('/api/v1/assistant/chat')
    expect(Object.fromEntries(url.searchParams)).toEqual({ input: '室温 & 湿度?', chatId: 'c-1', deviceId: 'd-1' })
    expect(Object.fromEntries(headers)).toMatchObject({
      authorization: 'Bearer old',
      thingwrightappid: 'app',
      'accept-language': 'zh',
      'x-user-id': 'u-1',
      'x-username': '%E9%99%88%20%E5%B7%A5',
    })
    expect(headers.has('interface-type')).toBe(false)
    expect(headers.has('last-event-id')).toBe(false)
  })

  it('is read to its clean end, wherever the bytes are split', async () => {
    const bytes = new TextEncoder().encode(`: ping\n\n${event(0, '温')}${event(1, '度 🌡')}`)
    for (let i = 0; i <= bytes.length; i++) {
      answers = [() => stream([bytes.slice(0, i), bytes.slice(i)])]
      expect(await asked(), `split at ${i}`).toEqual({ text: '温度 🌡', replies: ['r1'], error: null })
    }
    answers = [() => stream([...bytes].map(byte => Uint8Array.of(byte)))]
    expect(await asked()).toEqual({ text: '温度 🌡', replies: ['r1'], error: null })
  })

  it('understands programs that name no ids and end without an empty line', async () => {
    answers = [() => stream(['data: [0,{"data":"a"}]\n\ndata: [0,{"data":"b"}]'])]
    expect(await asked()).toEqual({ text: 'ab', replies: [], error: null })
  })

  it.each([400, 404, 409, 500])('that is refused with %i is not asked again', async status => {
    answers = [() => refusal(status)]
    const { error } = await asked()
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status, message: `no ${status}` })
    expect(sent).toHaveLength(1)
  })

  it('of a refused token is asked once more with a fresh one', async () => {
    answers = [() => refusal(401), () => Response.json(token('new')), () => stream([event(0, 'a')])]
    expect(await asked()).toMatchObject({ text: 'a', error: null })
    expect(sent.map(({ url }) => url.pathname)).toEqual([
      '/api/v1/assistant/chat',
      '/oauth/token',
      '/api/v1/assistant/chat',
    ])
    expect(sent[2]!.headers.get('authorization')).toBe('Bearer new')
  })

  it('of a session that is over ends it as everywhere', async () => {
    vi.useFakeTimers()
    answers = [() => refusal(401), () => refusal(401)]
    const work = asked()
    await vi.advanceTimersByTimeAsync(2000)
    expect((await work).error).toBeInstanceOf(SessionExpiredError)
    expect(useSession.getState().token).toBeNull()
  })
})

describe('a cut stream', () => {
  it('is continued once behind the last event, and what waited unparsed is completed', async () => {
    vi.useFakeTimers()
    answers = [
      () =>
        stream([event(0, 'one '), event(1, 'two '), 'id: r1:2\ndata: ["text",{"da\n\n', 'id: r1:3\ndata: lost'], {
          cut: true,
        }),
      () => stream(['id: r1:3\ndata: ta":"three "}]\n\n', event(4, 'four')]),
    ]
    const work = asked()
    await vi.advanceTimersByTimeAsync(RESUME_DELAY_MS - 1)
    expect(sent).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await work).toEqual({ text: 'one two three four', replies: ['r1'], error: null })
    expect(sent[1]!.headers.get('last-event-id')).toBe('r1:2')
  })

  it('that is cut again stays cut', async () => {
    vi.useFakeTimers()
    answers = [() => stream([event(0, 'a')], { cut: true }), () => stream([event(1, 'b')], { cut: true })]
    const work = asked()
    await vi.advanceTimersByTimeAsync(RESUME_DELAY_MS)
    const { text, error } = await work
    expect(text).toBe('ab')
    expect(error).toBeInstanceOf(StreamCut)
    expect(sent).toHaveLength(2)
  })

  it('that the server knows no more says so in its words', async () => {
    vi.useFakeTimers()
    answers = [() => stream([event(0, 'a')], { cut: true }), () => refusal(404)]
    const work = asked()
    await vi.advanceTimersByTimeAsync(RESUME_DELAY_MS)
    const { error } = await work
    expect(error).toBeInstanceOf(StreamCut)
    expect((error as Error).message).toBe('no 404')
  })

  it('that never told an id cannot be continued', async () => {
    answers = [() => stream(['data: ["text",{"data":"a"}]\n\n'], { cut: true })]
    const { text, error } = await asked()
    expect(text).toBe('a')
    expect(error).toBeInstanceOf(StreamCut)
    expect(sent).toHaveLength(1)
  })

  it('is not continued once it was stopped', async () => {
    vi.useFakeTimers()
    const stop = new AbortController()
    answers = [() => stream([event(0, 'a')], { cut: true })]
    const work = asked(QUESTION, stop.signal)
    await vi.advanceTimersByTimeAsync(RESUME_DELAY_MS / 2)
    stop.abort()
    expect((await work).error).toMatchObject({ name: 'AbortError' })
    await vi.advanceTimersByTimeAsync(RESUME_DELAY_MS)
    expect(sent).toHaveLength(1)
  })
})

describe('a stopped stream', () => {
  it('gives nothing more, even what has already come', async () => {
    const stop = new AbortController()
    let more = (_: string) => {}
    answers = [
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              more = data => controller.enqueue(new TextEncoder().encode(data))
            },
          }),
        ),
    ]
    const parts: string[] = []
    const work = askStream(
      QUESTION,
      { onReply: () => {}, onPart: part => void parts.push(JSON.stringify(part)) },
      stop.signal,
    )
    await expect.poll(() => sent).toHaveLength(1)
    more(event(0, 'a'))
    await expect.poll(() => parts).toHaveLength(1)
    more(event(1, 'b'))
    stop.abort()
    await expect(work).rejects.toMatchObject({ name: 'AbortError' })
    expect(parts).toHaveLength(1)
  })
})
