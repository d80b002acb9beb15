import { createRoot, type Root } from 'react-dom/client'
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router'
import { afterEach, vi } from 'vitest'
import { loadTexts, startI18n } from '../../lib/i18n.ts'
import { liveSocket, startLive } from '../../lib/live-socket.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useSession } from '../../lib/session.ts'
import { registerAllTexts } from '../../texts.ts'
import { ConsoleFrame } from '../layout/console-frame.tsx'
import { buildRoutes } from '../router.tsx'
import { unknownParameters } from './known-query.ts'

/** What the server answers, by `METHOD /path`: a body, or a whole `Response`. What is not named is refused as forbidden. */
export type Answers = Record<string, (url: URL, body: unknown) => unknown>

/** A refusal in the server's form. */
export function refusal(status: number, code: string, more: object = {}): Response {
  return Response.json({ code, message: `refused: ${code}`, requestId: 'req-1', ...more }, { status })
}

export interface OpenConsole {
  /** What the page asked, in order: `GET /api/v1/devices?limit=20`. */
  requests: string[]
  /** Topics that the page follows. */
  followed: ReadonlySet<string>
  /** The server tells a topic's followers that something changed. */
  patch(topic: string, id: string, patch: object): void
  /** The button of the browser that leads back. */
  back(): void
  /** The text that is seen. */
  text(): string
}

/** The server's end of the page's live socket: lets everybody in and follows what is asked. */
class Live {
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null

  constructor(private readonly followed: Set<string>) {
    queueMicrotask(() => this.onopen?.())
  }

  send(data: string): void {
    const message = JSON.parse(data) as { op: string; topics?: string[] }
    if (message.op === 'auth') this.tell({ op: 'ready' })
    for (const topic of message.topics ?? []) {
      if (message.op === 'unsubscribe') this.followed.delete(topic)
      else {
        this.followed.add(topic)
        this.tell({ op: 'subscribed', topic, snapshot: {} })
      }
    }
  }

  tell(message: object): void {
    queueMicrotask(() => this.onmessage?.({ data: JSON.stringify(message) }))
  }

  close(): void {}
}

const open: Root[] = []
/** Parameters that pages sent and that no contract knows; the test that sent them fails. */
const refused: string[] = []
let texts: Promise<void> | null = null

async function startTexts(): Promise<void> {
  registerAllTexts()
  await startI18n('en')
  await loadTexts('common', 'shell')
}

/** Leaves the page: nothing of it meets the next. */
function leave(): void {
  for (const root of open.splice(0)) root.unmount()
  liveSocket.stop()
  queryClient.clear()
  document.body.innerHTML = ''
  window.localStorage.clear()
  window.sessionStorage.clear()
  vi.unstubAllGlobals()
}
afterEach(() => {
  leave()
  const sent = refused.splice(0)
  if (sent.length > 0) throw new Error(`parameters that the server refuses: ${[...new Set(sent)].join(', ')}`)
})

/**
 * An address of the console, drawn into a document with its own routes, pages, frames and texts, in place of the one
 * that was open. Only the network is made up.
 * @param permissions what the visitor may do; everything when absent
 */
export async function openConsole(
  address: string,
  answers: Answers,
  permissions: readonly string[] = ['*'],
): Promise<OpenConsole> {
  leave()
  const requests: string[] = []
  const followed = new Set<string>()
  const sockets: Live[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const url = new URL(address, 'http://console.test')
    const method = init.method ?? 'GET'
    requests.push(`${method} ${url.pathname}${url.search}`)
    for (const name of unknownParameters(method, url)) refused.push(`${method} ${url.pathname}?${name}`)
    const answer = answers[`${method} ${url.pathname}`]
    const given = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    const reply = answer ? await answer(url, given) : refusal(403, 'permission.denied')
    return reply instanceof Response ? reply : Response.json(reply)
  })
  vi.stubGlobal(
    'WebSocket',
    class extends Live {
      constructor() {
        super(followed)
        sockets.push(this)
      }
    },
  )
  texts ??= startTexts()
  await texts
  useSession.setState({
    token: { access_token: 'a', thingwrightAppId: 'app', id: 'me', username: 'me' },
    me: { id: 'me', permissions, menuPermissions: [] } as never,
    menus: [],
  })
  const frame = (
    <ConsoleFrame>
      <Outlet />
    </ConsoleFrame>
  )
  const router = createMemoryRouter([{ element: frame, children: buildRoutes(), hydrateFallbackElement: <span /> }], {
    initialEntries: [address],
  })
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  open.push(root)
  startLive()
  root.render(<RouterProvider router={router} />)
  return {
    requests,
    followed,
    patch: (topic, id, patch) => {
      for (const socket of sockets) socket.tell({ type: 'patch', topic, id, patch, ts: Date.now() })
    },
    back: () => void router.navigate(-1),
    text: () => document.body.textContent ?? '',
  }
}
