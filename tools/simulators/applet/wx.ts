type Done = { success?: (value: unknown) => void; fail?: (error: { errMsg: string }) => void }
type Asked = Done & Record<string, unknown>

export interface WxOptions {
  /** What WeChat says of the company's ext.json; null: the package is one company's. */
  ext: object | null
  language: string
  /** Code of wx.login. */
  login(): string
  /** Where the program goes. */
  go(kind: 'reLaunch' | 'switchTab' | 'navigateTo', url: string): void
  /** What the person answers when messages of these templates are asked for (wx.requestSubscribeMessage). */
  subscribe(templateIds: readonly string[]): 'accept' | 'reject'
  /** Domains of requests that the mini-program was given at WeChat; any other is refused. */
  domains: readonly string[]
}

/** What a person sees outside the page. */
export interface Shell {
  title: string
  tabs: string[]
  toasts: string[]
}

/** The part of `wx` that mini-programs here use, as WeChat's documents describe it. */
export function createWx(options: WxOptions): { wx: Record<string, unknown>; shell: Shell } {
  const kept = new Map<string, string>()
  const shell: Shell = { title: '', tabs: [], toasts: [] }

  async function request({ url, method = 'GET', data, header = {}, success, fail }: Asked): Promise<void> {
    try {
      const address = new URL(String(url))
      if (!options.domains.includes(address.origin)) throw new Error('url not in domain list')
      const headers = header as Record<string, string>
      const body =
        method === 'GET' || data === undefined ? undefined : typeof data === 'string' ? data : JSON.stringify(data)
      const reply = await fetch(address, { method: String(method), headers, ...(body === undefined ? {} : { body }) })
      const text = await reply.text()
      let value: unknown = text
      try {
        value = JSON.parse(text)
      } catch {
        // As WeChat does: what is no JSON is handed over as text.
      }
      success?.({ statusCode: reply.status, data: value, header: Object.fromEntries(reply.headers) })
    } catch (error) {
      fail?.({ errMsg: `request:fail ${error instanceof Error ? error.message : String(error)}` })
    }
  }

  /** As WeChat does: at most three at once, and only ids that are words. */
  function requestSubscribeMessage(asked: Asked): void {
    const ids = asked.tmplIds
    if (!Array.isArray(ids) || ids.length < 1 || ids.length > 3) {
      queueMicrotask(() => asked.fail?.({ errMsg: 'requestSubscribeMessage:fail templateIds count is out of limit' }))
      return
    }
    const answer = options.subscribe(ids as string[])
    later(asked, { errMsg: 'requestSubscribeMessage:ok', ...Object.fromEntries(ids.map(id => [String(id), answer])) })
  }

  const later = ({ success }: Asked, value: unknown = { errMsg: 'ok' }) => queueMicrotask(() => success?.(value))
  const wx = {
    request(asked: Asked) {
      request(asked).catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
    },
    login: (asked: Asked) => later(asked, { code: options.login() }),
    requestSubscribeMessage,
    getExtConfigSync: () => options.ext ?? {},
    getAppBaseInfo: () => ({ language: options.language }),
    // Values are copied, as they are between the two threads of a mini-program.
    getStorageSync: (key: string) => (kept.has(key) ? (JSON.parse(kept.get(key)!) as unknown) : ''),
    setStorageSync: (key: string, value: unknown) => void kept.set(key, JSON.stringify(value)),
    removeStorageSync: (key: string) => void kept.delete(key),
    setNavigationBarTitle: (asked: Asked) => {
      shell.title = String(asked.title)
      later(asked)
    },
    setNavigationBarColor: later,
    setTabBarItem: (asked: Asked) => {
      shell.tabs[Number(asked.index)] = String(asked.text)
      later(asked)
    },
    showToast: (asked: Asked) => {
      shell.toasts.push(String(asked.title))
      later(asked)
    },
    stopPullDownRefresh: () => undefined,
    reLaunch: ({ url }: Asked) => options.go('reLaunch', String(url)),
    switchTab: ({ url }: Asked) => options.go('switchTab', String(url)),
    navigateTo: ({ url }: Asked) => options.go('navigateTo', String(url)),
  }
  return { wx, shell }
}
