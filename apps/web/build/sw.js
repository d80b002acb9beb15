// Keeps the console's own files so that it opens without a network. Hashed files never change: cache first. The page
// itself: network first, and kept only where the server marks it as the console. Nothing else is ever kept: no API, no sign-in, no device path, no cloud page.
const CACHE = 'thingwright-__BUILD__'
const SHELL = '/index'
const NEVER = /^\/(api|oauth|page|device|mqtt|callbacks|compat|mcp|metrics|healthz|readyz)(\/|$)/

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('activate', event => {
  const clean = async () => {
    for (const name of await caches.keys())
      if (name.startsWith('thingwright-') && name !== CACHE) await caches.delete(name)
    await self.clients.claim()
  }
  event.waitUntil(clean())
})

self.addEventListener('fetch', event => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin || NEVER.test(url.pathname)) return
  if (request.mode === 'navigate') event.respondWith(networkFirst(request))
  else if (url.pathname.startsWith('/assets/')) event.respondWith(cacheFirst(request))
})

async function keep(key, response) {
  if (response.ok && response.type === 'basic') await (await caches.open(CACHE)).put(key, response.clone())
  return response
}

async function cacheFirst(request) {
  return (await caches.match(request)) ?? keep(request, await fetch(request))
}

/** A picture or a file opened as a page is none of the console's pages, nor is what an address redirects to. */
const isConsole = response => !response.redirected && response.headers.get('x-thingwright-page') === 'console'

async function networkFirst(request) {
  try {
    const response = await fetch(request)
    return isConsole(response) ? await keep(SHELL, response) : response
  } catch (error) {
    const kept = await caches.match(SHELL)
    if (kept) return kept
    throw error
  }
}

// Messages about alarms: encrypted by the server for this browser, so what arrives is what it sent.
self.addEventListener('push', event => {
  const { title, text, tag, link } = event.data.json()
  const shown = { body: text, tag, renotify: true, icon: '/favicon.svg', data: { link } }
  event.waitUntil(self.registration.showNotification(title, shown))
})

self.addEventListener('notificationclick', event => {
  event.notification.close()
  const address = new URL(event.notification.data.link, self.location.origin)
  // Only pages of this site.
  if (address.origin !== self.location.origin) return
  const show = async () => {
    const [open] = await self.clients.matchAll({ type: 'window', includeUncontrolled: false })
    if (!open) return self.clients.openWindow(address.href)
    await open.focus()
    await open.navigate(address.href)
  }
  event.waitUntil(show())
})
