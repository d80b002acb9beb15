export class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface ApiAccess {
  url: string
  token?: string
  user?: string
  password?: string
}

const ATTEMPTS = 5

/** The public API as any program uses it: signs in as the client `cli`, waits when it is asked to. */
export class ApiClient {
  readonly #access: ApiAccess
  readonly #base: string
  #token: string | undefined

  constructor(access: ApiAccess) {
    this.#access = access
    this.#base = access.url.replace(/\/+$/, '')
    this.#token = access.token
  }

  async signIn(): Promise<void> {
    const { token, user, password } = this.#access
    if (token !== undefined) return
    if (user === undefined || password === undefined) {
      throw new ApiError(401, 'auth.required', 'give --token, or --user and --password')
    }
    const response = await fetch(`${this.#base}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'password', username: user, password }),
    })
    const body = await readJson(response)
    if (!response.ok || typeof body.access_token !== 'string') throw errorOf(response.status, body)
    this.#token = body.access_token
  }

  get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const search = new URLSearchParams(query).toString()
    return this.#request('GET', `/api/v1${path}${search ? `?${search}` : ''}`)
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#request('POST', `/api/v1${path}`, body)
  }

  /** All items of a list, page by page. */
  async *list<T>(path: string, query: Record<string, string> = {}): AsyncGenerator<T> {
    let cursor: string | null = null
    do {
      const page: { items: T[]; nextCursor: string | null } = await this.get(path, {
        ...query,
        limit: '100',
        ...(cursor === null ? {} : { cursor }),
      })
      yield* page.items
      cursor = page.nextCursor
    } while (cursor !== null)
  }

  async #request<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#token ?? ''}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const reply = await readJson(response)
      if (response.ok) return reply as T
      if (attempt < ATTEMPTS && response.status === 401 && this.#access.token === undefined) await this.signIn()
      else if (attempt < ATTEMPTS && (response.status === 429 || response.status === 503)) {
        const seconds = Number(response.headers.get('retry-after') ?? attempt)
        await new Promise(resolve => setTimeout(resolve, Math.min(60, seconds || attempt) * 1_000))
      } else throw errorOf(response.status, reply)
    }
  }
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  try {
    const body = JSON.parse(text) as unknown
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function errorOf(status: number, body: Record<string, unknown>): ApiError {
  const code = typeof body.code === 'string' ? body.code : typeof body.error === 'string' ? body.error : 'unknown'
  const message = typeof body.message === 'string' ? body.message : String(body.error_description ?? code)
  return new ApiError(status, code, `HTTP ${status} ${code}: ${message}`)
}
