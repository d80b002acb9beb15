import { PASSWORD } from '../lib/installation.ts'

const EVERY_MS = 200
const PATIENCE_MS = 30_000
/** Questions at once, as an impatient person's browser has. */
const AT_ONCE = 6

/** Somebody who reads the device list again and again, whatever became of the questions before. */
export class AskingPerson {
  /** Questions answered with 200. */
  answers = 0
  private token: Promise<string> | null = null
  private asking = 0
  private readonly timer: NodeJS.Timeout

  constructor(private readonly url: string) {
    this.timer = setInterval(() => {
      if (this.asking < AT_ONCE) this.ask().catch(() => undefined)
    }, EVERY_MS)
  }

  leave(): void {
    clearInterval(this.timer)
  }

  private async ask(): Promise<void> {
    this.asking++
    try {
      this.token ??= signIn(this.url)
      const reply = await fetch(`${this.url}/api/v1/devices?limit=1`, {
        headers: { authorization: `Bearer ${await this.token}` },
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      await reply.arrayBuffer()
      if (reply.ok) this.answers++
      if (reply.status === 401) this.token = null
    } catch (error) {
      if (error instanceof SignInFailed) this.token = null
    } finally {
      this.asking--
    }
  }
}

class SignInFailed extends Error {}

/** Signs in as the first company's owner. @returns the token */
async function signIn(url: string): Promise<string> {
  try {
    const reply = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: PASSWORD }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    if (!reply.ok) throw new Error(`sign-in: ${reply.status}`)
    return ((await reply.json()) as { access_token: string }).access_token
  } catch (error) {
    throw new SignInFailed(String(error))
  }
}
