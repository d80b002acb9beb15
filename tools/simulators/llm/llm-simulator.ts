import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { faultsOf } from './request-check.ts'
import { type ChatRequest, chunksOf, type Turn } from './turns.ts'

export type { ChatMessage, ChatRequest, Fault, Turn } from './turns.ts'

/** Turns one after the other, the last one for ever; or a model that reads what it is asked (`n` from 0). */
export type Script = readonly Turn[] | ((request: ChatRequest, n: number) => Turn | Promise<Turn>)

/** What this endpoint does not know, as many real ones do not. */
export interface Limits {
  streamOptions?: false
  tools?: false
  temperature?: false
  /** Takes `max_completion_tokens` only. */
  maxTokens?: false
}

export interface LlmSimulator {
  /** What is set as LLM_BASE_URL. */
  readonly url: string
  readonly port: number
  /** Bodies of right requests, in order. */
  readonly requests: ChatRequest[]
  /** What no right client does: wrong key, wrong schema, wrong order of messages, a call without an answer. */
  readonly faults: string[]
  /** Everything that came, headers and bodies, as text: whatever is in here left the house. */
  readonly received: string
  /** Requests that are being answered now. */
  readonly open: number
  /** How many were ended by the other side before their end. */
  readonly aborted: number
  behave(script: Script): void
  limit(limits: Limits): void
  close(): Promise<void>
}

const MOST_BYTES = 16 * 1024 * 1024
const MOST_TORN = 5000

/**
 * A provider of the OpenAI chat-completions protocol over real HTTP: streams that are cut anywhere, errors, silence.
 * It believes no request before it has checked it, and shares no code with the client.
 */
export async function startLlmSimulator(options: {
  script: Script
  apiKey?: string | null
  /** Only this model is known; missing: any. */
  model?: string
  host?: string
  port?: number
  /** Of the path, without `/chat/completions`. */
  path?: string
}): Promise<LlmSimulator> {
  const { apiKey = null, model, host = '127.0.0.1', path = '/v1' } = options
  const requests: ChatRequest[] = []
  const faults: string[] = []
  const received: string[] = []
  let { script } = options
  let limits: Limits = {}
  let asked = 0
  let open = 0
  let aborted = 0

  const next = (request: ChatRequest): Turn | Promise<Turn> => {
    const n = asked++
    if (typeof script === 'function') return script(request, n)
    return script[Math.min(n, script.length - 1)] ?? { text: '' }
  }

  /** @returns why the provider takes no such request */
  function unable(request: ChatRequest): string | null {
    if (limits.streamOptions === false && request.stream_options) return "Unknown parameter: 'stream_options'"
    if (limits.tools === false && request.tools) return `${request.model} does not support tools`
    if (limits.temperature === false && request.temperature !== undefined)
      return "Unsupported value: 'temperature' does not support this value with this model"
    if (limits.maxTokens === false && request.max_tokens !== undefined)
      return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    return null
  }

  async function answer(message: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    received.push(`${message.method} ${message.url} ${JSON.stringify(message.rawHeaders)}\n${text}\n`)
    const refuse = (status: number, said: string) =>
      json(response, status, { error: { message: said, type: 'invalid_request_error', code: null } })
    if (apiKey !== null && message.headers.authorization !== `Bearer ${apiKey}`) {
      faults.push('a wrong key')
      return refuse(401, `Incorrect API key provided: ${message.headers.authorization ?? 'none'}`)
    }
    let request: ChatRequest
    try {
      request = JSON.parse(text)
    } catch {
      faults.push('the body is no JSON')
      return refuse(400, 'We could not parse the JSON body of your request.')
    }
    if (model !== undefined && request.model !== model)
      return refuse(404, `The model \`${request.model}\` does not exist or you do not have access to it.`)
    const wrong = faultsOf(request)
    if (wrong.length > 0) {
      faults.push(...wrong)
      return refuse(400, wrong.join('; '))
    }
    const cannot = unable(request)
    if (cannot) return refuse(400, cannot)
    requests.push(request)
    const turn = await next(request)
    if (turn.fault === 'silent') return
    if (turn.status !== undefined && turn.status !== 200)
      return json(response, turn.status, { error: turn.error ?? { message: `status ${turn.status}` } }, turn.headers)
    await stream(response, turn, request)
  }

  async function stream(response: ServerResponse, turn: Turn, request: ChatRequest): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
    response.flushHeaders()
    if (turn.fault === 'no-first-byte') return
    const chunks = chunksOf(turn, request, `chatcmpl-${requests.length}`)
    const events = ['data: [DONE]\n\n']
    const half = Math.ceil(chunks.length / 2)
    // Comments are part of the format; some providers send them while they think.
    const told = chunks.map(chunk => `data: ${chunk}\n\n`)
    if (turn.fault === 'endless') {
      while (!response.destroyed) {
        const [, more = ''] = chunksOf({ text: 'and ' }, request, 'endless')
        await put(response, `data: ${more}\n\n`.repeat(200))
      }
      return
    }
    if (turn.fault === 'garbage') events.unshift(...told.slice(0, half), 'data: {"choices":[{"delta"\n\n')
    else if (turn.fault === 'error-inside')
      events.unshift(...told.slice(0, half), 'data: {"error":{"message":"the model fell over","code":500}}\n\n')
    else if (turn.fault === 'unfinished') {
      for (const event of told.slice(0, half)) await oddly(response, event)
      response.end()
      return
    } else if (turn.fault === 'cut' || turn.fault === 'stall') {
      for (const event of told.slice(0, half)) await oddly(response, event)
      if (turn.fault === 'cut') response.socket?.destroy()
      return
    } else events.unshift(': thinking\n\n', ...told)
    // What is huge is not torn by hand: the network does that.
    if (events.length > MOST_TORN)
      for (let at = 0; at < events.length; at += 100) await put(response, events.slice(at, at + 100).join(''))
    else for (const event of events) await oddly(response, event)
    response.end()
  }

  const server = createServer((message, response) => {
    open++
    response.once('close', () => {
      open--
      if (!response.writableFinished) aborted++
    })
    const parts: Buffer[] = []
    let size = 0
    message.on('data', (part: Buffer) => {
      size += part.length
      if (size > MOST_BYTES) message.destroy()
      else parts.push(part)
    })
    message.on('error', () => undefined)
    message.on('end', () => {
      if (message.method !== 'POST' || message.url !== `${path}/chat/completions`) {
        faults.push(`${message.method} ${message.url}`)
        json(response, 404, { error: { message: 'no such path' } })
        return
      }
      answer(message, response, Buffer.concat(parts).toString('utf8')).catch(error => {
        faults.push(`the script failed: ${(error as Error).message}`)
        response.destroy()
      })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://${host}:${port}${path}`,
    port,
    requests,
    faults,
    get received() {
      return received.join('\n')
    },
    get open() {
      return open
    },
    get aborted() {
      return aborted
    },
    behave(now) {
      script = now
      asked = 0
    },
    limit(now) {
      limits = now
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Where the next event is torn: 1, 2, 3, 5, 8 … bytes, also inside a character. */
const TEARS = [1, 2, 3, 5, 8, 13, 21, 34, 55]
let tear = 0

/** In two packets that end nowhere in particular. */
async function oddly(response: ServerResponse, event: string): Promise<void> {
  const bytes = Buffer.from(event)
  const at = TEARS[tear++ % TEARS.length]! % bytes.length
  await put(response, bytes.subarray(0, at))
  await put(response, bytes.subarray(at))
}

function put(response: ServerResponse, bytes: Buffer | string): Promise<void> {
  return new Promise(resolve => {
    if (response.destroyed) resolve()
    else response.write(bytes, () => setImmediate(resolve))
  })
}
