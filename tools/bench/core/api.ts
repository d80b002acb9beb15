import { Agent, request } from 'node:http'
import { PASSWORD } from '../../lib/installation.ts'

/** A token lives 15 minutes. */
const TOKEN_MS = 600_000

/** The public API over kept connections, with as little of our own time in it as possible. */
export class Api {
  private readonly agent: Agent
  private token = ''
  private username = 'admin'
  private signedInAt = 0

  /** @param connections how many requests may be on their way at once */
  constructor(
    private readonly url: string,
    connections = 1,
  ) {
    this.agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Signs in, by default as the owner of the company a fresh installation has. @returns the access token */
  async signIn(username = this.username): Promise<string> {
    this.username = username
    const reply = await fetch(`${this.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username, password: PASSWORD }),
    })
    if (!reply.ok) throw new Error(`sign-in: HTTP ${reply.status} ${await reply.text()}`)
    this.token = ((await reply.json()) as { access_token: string }).access_token
    this.signedInAt = performance.now()
    return this.token
  }

  /** Confirms that it is he, as the console asks before what is dangerous; good for ten minutes of this session. */
  async prove(): Promise<void> {
    await this.post('/security/proof', { method: 'password', password: PASSWORD })
  }

  get<T>(path: string): Promise<T> {
    return this.send<T>('GET', path)
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>('POST', path, body)
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>('PATCH', path, body)
  }

  close(): void {
    this.agent.destroy()
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    if (performance.now() - this.signedInAt > TOKEN_MS) await this.signIn()
    return new Promise((resolve, reject) => {
      const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body))
      const outgoing = request(
        `${this.url}/api/v1${path}`,
        {
          method,
          agent: this.agent,
          headers: {
            authorization: `Bearer ${this.token}`,
            ...(bytes ? { 'content-type': 'application/json', 'content-length': bytes.length } : {}),
          },
        },
        reply => {
          const chunks: Buffer[] = []
          reply.on('data', (chunk: Buffer) => chunks.push(chunk))
          reply.on('error', reject)
          reply.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            if (reply.statusCode! < 300) resolve(JSON.parse(text) as T)
            else reject(new Error(`${method} ${path}: HTTP ${reply.statusCode} ${text.slice(0, 500)}`))
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }
}
