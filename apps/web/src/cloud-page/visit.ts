import type { PageActionState, PageVisit } from '@thingwright/contracts/page-visits.contract'
import type { Scene } from '@thingwright/scene'
import type { PagePerson, SeriesPoint, ShownAlarm } from '../ui/scene/scene-context.ts'
import type { PastValues } from '../ui/scene/use-past.ts'

export type Visit = Omit<PageVisit, 'scene'> & { scene: Scene }

/** Why a page is not shown, in the visitor's language. */
export class VisitError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** The language of the browser, or the one that the console was set to. */
export function visitorLanguage(): 'zh' | 'en' {
  try {
    const kept = localStorage.getItem('lang')
    if (kept === 'zh' || kept === 'en') return kept
  } catch {
    // Storage is closed: the browser's language counts.
  }
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

async function ask<T>(path: string, init: RequestInit = {}, ticket?: string): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      ...init,
      headers: {
        'accept-language': visitorLanguage(),
        ...(init.body ? { 'content-type': 'application/json' } : {}),
        ...(ticket ? { 'x-page-ticket': ticket } : {}),
        ...init.headers,
      },
    })
  } catch (error) {
    throw new VisitError('network', String(error))
  }
  const body = (await response.json().catch(() => ({}))) as { code?: string; message?: string }
  if (!response.ok) throw new VisitError(body.code ?? 'server.error', body.message ?? String(response.status))
  return body as T
}

const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) })
const at = (suffix: string, rest = '') => `/api/v1/public/pages/${encodeURIComponent(suffix)}${rest}`

/** The user who is signed in at the console in this browser, if any. */
function accessToken(): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem('userToken') ?? 'null') as { access_token?: string } | null
    return kept?.access_token ?? null
  } catch {
    return null
  }
}

export interface VisitWay {
  passcode?: string
  link?: string
  ticket?: string
  devices?: Record<string, string>
}

/**
 * Opens a page: as who is signed in at the console, so that he can work what he may, and as everybody does where that
 * leads nowhere. A link, a passcode or a ticket is the way of its own. @throws VisitError
 */
export async function openPage(suffix: string, way: VisitWay): Promise<Visit> {
  const enter = () => ask<Visit>(at(suffix, '/enter'), post(way))
  const token = accessToken()
  if (token === null || way.link !== undefined || way.passcode !== undefined || way.ticket !== undefined) return enter()
  try {
    return await ask<Visit>(`/api/v1/page-visits/${encodeURIComponent(suffix)}`, {
      ...post(way.devices ? { devices: way.devices } : {}),
      headers: { authorization: `Bearer ${token}` },
    })
  } catch (error) {
    // What the stranger is answered is shown, save where only who is signed in gets an answer.
    return await enter().catch((asStranger: unknown) => {
      throw asStranger instanceof VisitError && asStranger.code === 'page.sign_in_required' && isSaid(error)
        ? error
        : asStranger
    })
  }
}

/** Why this person is not let in, rather than that his sign-in is over. */
const isSaid = (error: unknown) => error instanceof VisitError && error.code.startsWith('page.')

/** @param until epoch ms; null: now */
export const readSeries = (suffix: string, ticket: string, key: string, hours: number, until: number | null) =>
  ask<{ points: SeriesPoint[] }>(
    at(suffix, `/series?key=${encodeURIComponent(key)}&hours=${hours}${until === null ? '' : `&until=${until}`}`),
    {},
    ticket,
  )

const authorization = () => `Bearer ${accessToken() ?? ''}`
/** As who is signed in. @throws VisitError */
const asPerson = <T>(path: string, init: RequestInit = {}, ticket?: string) =>
  ask<T>(path, { ...init, headers: { authorization: authorization() } }, ticket)

/** The page as it was, for who is signed in. @throws VisitError */
export const readPast = (suffix: string, ticket: string, ts: number) =>
  asPerson<PastValues>(`/api/v1/page-visits/${encodeURIComponent(suffix)}/past?ts=${Math.round(ts)}`, {}, ticket)

/** What elements that need somebody signed in ask for. */
export const personOf = (suffix: string, ticket: string): PagePerson => ({
  tasks: role =>
    asPerson(
      `/api/v1/page-visits/${encodeURIComponent(suffix)}/timed-tasks?role=${encodeURIComponent(role)}`,
      {},
      ticket,
    ),
  async setTask(id, on) {
    await asPerson(`/api/v1/timed-tasks/${id}/${on ? 'enable' : 'disable'}`, { method: 'POST' })
  },
  camera: channel => asPerson(`/api/v1/video/channels/${channel}/live`, post({ kind: 'hls', quality: 'sub' })),
  authorization,
})

export const readAlarms = (suffix: string, ticket: string) =>
  ask<{ items: ShownAlarm[] }>(at(suffix, '/alarms'), {}, ticket)

export const act = (suffix: string, body: object) => ask<PageActionState>(at(suffix, '/actions'), post(body))

export const actionState = (suffix: string, ticket: string, id: string) =>
  ask<PageActionState>(at(suffix, `/actions/${id}`), {}, ticket)
