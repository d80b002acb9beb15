import { ApiError, SessionExpiredError } from '../../../lib/api/api-error.ts'
import { call } from '../../../lib/api-client.ts'
import { showError } from '../../../lib/errors.ts'
import { text } from '../../../lib/i18n.ts'
import { randomId } from '../../../lib/ids.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { onSessionEnd, useSession } from '../../../lib/session.ts'
import { noteOpen } from '../left-open.ts'
import { type AssistantMessage, type ChatRecord, type PageContext, withCard } from '../model.ts'
import { replyEnded } from '../panel-state.ts'
import { emptyChat, useChat } from './chat-store.ts'
import type { ReplyPart } from './fragments.ts'
import { history } from './history.ts'
import { ChatHistory, joined, NAME_MAX } from './history-db.ts'
import { perFrame } from './per-frame.ts'
import { askStream, StreamCut, type StreamSink } from './stream.ts'

/** While a reply comes, it is kept this often: a tab that is closed loses little of it. */
const KEEP_EVERY_MS = 2000

interface Running {
  /** The user id: a reply that arrives after a sign-out is stored for this user. */
  userId: string | undefined
  stop: AbortController
  message: AssistantMessage
}
let running: Running | null = null

const replaced = (messages: AssistantMessage[], message: AssistantMessage) =>
  messages.map(each => (each.key === message.key ? message : each))
const show = (message: AssistantMessage) => useChat.setState(s => ({ messages: replaced(s.messages, message) }))
const repaint = perFrame(() => {
  if (running) show(running.message)
})

/** Asks a question in the open conversation; nothing happens while a reply is being given. */
export async function ask(input: string, context?: PageContext): Promise<void> {
  if (useChat.getState().asking) return
  const time = serverNow()
  const question: AssistantMessage = { key: randomId(), type: 'R', data: input, state: 0, time }
  if (context) question.context = context
  const reply: AssistantMessage = { key: randomId(), type: 'L', data: '', state: 1, time, changed: time }
  const own: Running = { userId: signedIn(), stop: new AbortController(), message: reply }
  useChat.setState(s => ({
    name: s.name || input.trim().slice(0, NAME_MAX),
    messages: [...s.messages, question, reply],
    draft: '',
  }))
  const { chatId } = useChat.getState()
  await receive(own, () => askStream({ input, chatId, context }, sinkOf(own), own.stop.signal), true)
}

const sinkOf = (own: Running): StreamSink => ({
  onReply(id) {
    take(own, { replyId: id })
    // A page that is loaded anew goes on by this name.
    void keep(false)
  },
  onPart: part => takePart(own, part),
})

/** Takes a reply in, from its state 1 to its state 2, whatever becomes of it. */
async function receive(own: Running, stream: () => Promise<void>, create: boolean): Promise<void> {
  running = own
  useChat.setState({ asking: true })
  const release = holdChat(useChat.getState().chatId)
  const keeping = setInterval(() => void keep(false), KEEP_EVERY_MS)
  void keep(create)
  try {
    await stream()
    if (isEmpty(own.message)) append(own, text('assistant:error.message', { message: text('assistant:error.nothing') }))
  } catch (error) {
    if (!own.stop.signal.aborted && !(error instanceof SessionExpiredError)) append(own, wordsOf(error))
  } finally {
    clearInterval(keeping)
    if (running === own) finish(own)
    // Another tab that opens the conversation finds the end of the reply, or that it is still held.
    void keptInOrder(async () => release())
  }
}

/** Goes on with a reply whose page was left in the middle of it: the server may still have it all. */
async function continueReply(left: AssistantMessage, replyId: string): Promise<void> {
  const own: Running = {
    userId: signedIn(),
    stop: new AbortController(),
    message: { ...left, data: '', cards: [] },
  }
  const { chatId } = useChat.getState()
  const stream = async () => {
    try {
      await askStream({ input: '', chatId }, sinkOf(own), own.stop.signal, `${replyId}:0`)
    } catch (error) {
      if (error instanceof SessionExpiredError) throw error
      // What had come before is better than nothing.
      if (isEmpty(own.message)) own.message = { ...own.message, data: left.data, cards: left.cards ?? [] }
      throw new StreamCut('', { cause: error })
    }
  }
  await receive(own, stream, false)
}

/** Takes the reply out of its state 1, whatever ended it. */
function finish(own: Running): void {
  own.message = { ...own.message, state: 2, changed: serverNow() }
  repaint.now()
  running = null
  useChat.setState({ asking: false })
  void keep(false)
  replyEnded()
}

/** Ends the reply that is being given: here at once, on the server by its name. */
export function stop(): void {
  if (!running) return
  const { replyId } = running.message
  if (replyId) call('assistant.stop', { params: { id: replyId } }).catch(() => undefined)
  running.stop.abort()
}

function take(own: Running, change: Partial<AssistantMessage>): void {
  own.message = { ...own.message, ...change, changed: serverNow() }
  repaint()
}

function append(own: Running, words: string): void {
  take(own, { data: own.message.data === '' ? words : `${own.message.data}\n\n${words}` })
}

function takePart(own: Running, part: ReplyPart): void {
  if (part.kind === 'text') {
    if (part.text !== '') take(own, { data: own.message.data + part.text })
  } else if (part.kind === 'card') take(own, withCard(own.message, part.card))
  else append(own, text('assistant:error.message', { message: part.message }))
}

const isEmpty = ({ data, cards }: AssistantMessage) => data === '' && !cards?.length

/** Specification §8: a refusal by its status, anything else by its words. */
function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.status !== 0) {
    const words = text('assistant:error.code', { code: error.status })
    return error.message ? `${words}\n\n${error.message}` : words
  }
  const message = error instanceof ApiError || error instanceof StreamCut ? error.message : ''
  return text('assistant:error.message', { message: message || text('assistant:error.cut') })
}

/** Keeps the open conversation in the history; `create` when it is new or was asked something new. */
async function keep(create: boolean): Promise<void> {
  const { id, chatId, name, messages } = useChat.getState()
  const content = running ? replaced(messages, running.message) : messages
  const record: ChatRecord = { name, content, time: serverNow(), chatId }
  if (id !== undefined) record.id = id
  await keptInOrder(async () => {
    // The row was made by the question before this one was through.
    const known = useChat.getState()
    if (record.id === undefined && known.chatId === chatId && known.id !== undefined) record.id = known.id
    const kept = await history()?.save(record, create)
    if (kept && useChat.getState().chatId === chatId) useChat.setState({ id: kept.id, name: kept.name })
  })
}

let order: Promise<unknown> = Promise.resolve()
/** One after the other: two at once would both make the row. A history that cannot be written costs comfort only. */
function keptInOrder(work: () => Promise<void>): Promise<void> {
  const done = order.then(work).catch(() => undefined)
  order = done
  return done
}

/** Begins a new conversation; the draft stays. */
export function newChat(): void {
  if (running) return
  const { draft } = useChat.getState()
  useChat.setState({ ...emptyChat(), draft })
}

/** Opens a conversation of the history; false when it is no longer there. */
export async function openChat(id: number, isWanted: () => boolean = () => true): Promise<boolean> {
  if (running) return false
  const chat = await history()?.get(id)
  if (!chat || running || !isWanted()) return false
  const last = chat.content.at(-1)
  const left = last?.state === 1 && !(await isHeld(chat.chatId)) ? last : null
  if (running || !isWanted()) return false
  const messages = chat.content.map(message => (message === left ? message : settled(message, message === last)))
  useChat.setState({ id: chat.id, chatId: chat.chatId, name: chat.name, messages })
  if (left?.replyId) void continueReply(left, left.replyId)
  else if (left) show(settled(left, false))
  return true
}

/** A reply whose page was closed in the middle of it, and which is not the last one: no more comes of it. */
const settled = (message: AssistantMessage, live: boolean): AssistantMessage =>
  message.state === 1 && !live ? { ...message, state: 2 } : message

/** Takes over what another tab did to the open conversation; null: it was deleted there. */
export function followChat(chat: ChatRecord | null): void {
  const state = useChat.getState()
  if (running) return
  if (!chat) newChat()
  else if (chat.chatId === state.chatId)
    useChat.setState({ name: chat.name, messages: joined(chat.content, state.messages) })
}

/** A card was changed by a decision or an undo. */
export function changeCard(key: string, card: Parameters<typeof withCard>[1]): void {
  const message = useChat.getState().messages.find(each => each.key === key)
  if (!message) return
  if (running?.message.key === key) take(running, withCard(running.message, card))
  else show({ ...withCard(message, card), changed: serverNow() })
  void keep(false)
}

/** Says whether a reply was of use; null takes it back. */
export async function rate(message: AssistantMessage, rating: 'up' | 'down' | null): Promise<void> {
  if (!message.replyId) return
  show({ ...message, rating, changed: serverNow() })
  try {
    await call('assistant.rate', { params: { id: message.replyId }, body: { rating } })
    void keep(false)
  } catch (error) {
    show(message)
    showError(error)
  }
}

/** Tells other tabs that this one is receiving a reply of the conversation. Returns the end of it. */
function holdChat(chatId: string): () => void {
  if (!navigator.locks) return () => undefined
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  void navigator.locks.request(lockName(chatId), { ifAvailable: true }, () => held)
  return release
}

/** Whether some tab is receiving a reply of the conversation. */
async function isHeld(chatId: string): Promise<boolean> {
  const { held } = (await navigator.locks?.query()) ?? {}
  return held?.some(({ name }) => name === lockName(chatId)) ?? false
}

const lockName = (chatId: string) => `thingwright-assistant-${chatId}`

// Nothing of one person may be seen, or go on, for the next.
onSessionEnd(() => {
  const own = running
  running = null
  if (own) void keepSignedOut(own)
  own?.stop.abort()
  useChat.setState(emptyChat())
})

/** Ends a reply in the history of the person who is gone: why it ends there is said. */
async function keepSignedOut(own: Running): Promise<void> {
  const { id, chatId, name, messages } = useChat.getState()
  if (own.userId === undefined) return
  append(own, text('assistant:error.message', { message: text('assistant:error.signedOut') }))
  const message: AssistantMessage = { ...own.message, state: 2, changed: serverNow() }
  const record: ChatRecord = { name, content: replaced(messages, message), time: serverNow(), chatId }
  if (id !== undefined) record.id = id
  // His history was closed with his session.
  const his = new ChatHistory(own.userId)
  await keptInOrder(async () => void (await his.save(record, id === undefined)))
  his.close()
}

const signedIn = () => useSession.getState().token?.id

useChat.subscribe((now, before) => {
  if (now.id !== before.id) noteOpen(now.id)
})
