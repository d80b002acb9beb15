import { call } from './api-client.ts'
import { portalSuffix } from './portal.ts'

/** Whether this browser can receive messages that are pushed, and does. */
export type PushState = 'unsupported' | 'denied' | 'off' | 'on'

/** The service worker is registered a while after the page; not at all in development and without HTTPS. */
const WORKER_MS = 5_000

/** Its registration; null: there is none. */
async function worker(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window)) return null
  const known = await navigator.serviceWorker.getRegistration('/')
  if (known) return known
  if (!import.meta.env.PROD) return null
  await navigator.serviceWorker.register('/sw.js', { scope: '/' }).catch(() => undefined)
  const late = new Promise<null>(resolve => setTimeout(() => resolve(null), WORKER_MS))
  return Promise.race([navigator.serviceWorker.ready, late])
}

/** SHA-256 of the address of a push service, hex: how the server names this browser. */
async function hashOf(endpoint: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** What the server has of this browser for the person who is signed in. */
async function registered(subscription: PushSubscription) {
  const [hash, { items }] = await Promise.all([hashOf(subscription.endpoint), call('pushDevices.list', {})])
  return items.find(one => one.isMine && one.endpointHash === hash)
}

/** @throws ApiError */
export async function pushState(): Promise<PushState> {
  const registration = await worker()
  if (!registration) return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  const subscription = await registration.pushManager.getSubscription()
  return subscription && (await registered(subscription)) ? 'on' : 'off'
}

/** Asks the person and the browser, and registers it. @throws ApiError; DOMException where the push service is not reached */
export async function startPush(): Promise<PushState> {
  const registration = await worker()
  if (!registration) return 'unsupported'
  if ((await Notification.requestPermission()) !== 'granted') return 'denied'
  const { publicKey } = await call('pushDevices.key', {})
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: publicKey,
  })
  const { endpoint, keys } = subscription.toJSON()
  const portal = portalSuffix()
  await call('pushDevices.create', {
    body: {
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
      name: browserName(navigator.userAgent),
      ...(portal === null ? {} : { portal }),
    },
  })
  return 'on'
}

/** Nothing more is pushed to this browser. @throws ApiError */
export async function stopPush(): Promise<PushState> {
  const subscription = await (await worker())?.pushManager.getSubscription()
  if (!subscription) return 'off'
  const known = await registered(subscription)
  if (known) await call('pushDevices.remove', { params: { id: known.id } })
  await subscription.unsubscribe()
  return 'off'
}

/** Before a sign-out: a browser that another person uses next shows nothing of this one. Never fails. */
export async function forgetPush(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker?.getRegistration('/')
    if (await registration?.pushManager?.getSubscription()) await stopPush()
  } catch {
    // Without a network the next person's registration takes its place.
  }
}

const BROWSERS: [RegExp, string][] = [
  [/MicroMessenger\//, 'WeChat'],
  [/Edg(A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/HarmonyOS/, 'HarmonyOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** Such as `Chrome · Android`, so that a person knows his devices apart. */
export function browserName(agent: string): string {
  const of = (known: [RegExp, string][]) => known.find(([pattern]) => pattern.test(agent))?.[1]
  return [of(BROWSERS), of(SYSTEMS)].filter(Boolean).join(' · ') || 'Web'
}
