// Runs before anything else, in the page itself: follows the language and appearance that were chosen, asks for the
// files of this address all at once, and draws the frame, so that a slow line shows something within its first answer.
;(() => {
  const root = document.documentElement
  const read = (store, key) => {
    try {
      return store().getItem(key)
    } catch {
      return null
    }
  }
  const local = key => read(() => localStorage, key)
  const prefix = /^\/(zh|en)(?=\/|$)/.exec(location.pathname)
  const lang = (prefix ? prefix[1] : local('lang')) === 'en' ? 'en' : 'zh'
  const wish = local('appearance')
  const dark = wish ? wish === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  root.lang = lang === 'en' ? 'en' : 'zh-CN'
  root.dataset.appearance = dark ? 'dark' : 'light'

  const signedIn = local('userToken') !== null
  let plan = null
  try {
    plan = JSON.parse(document.getElementById('tw-plan').textContent)
  } catch {
    // Served without a plan (development): everything is found step by step.
  }
  if (!plan || (plan.auth && !signedIn)) return
  for (const file of [...plan.files, ...plan[lang].files]) {
    const link = document.createElement('link')
    const style = file.endsWith('.css')
    link.rel = style ? 'preload' : 'modulepreload'
    if (style) {
      link.as = 'style'
      // As the bundler's own links ask for it: otherwise the browser fetches the file a second time.
      link.crossOrigin = 'anonymous'
    }
    link.href = file
    document.head.append(link)
  }
  const frame = document.getElementById('tw-early')
  if (!plan.auth || !frame) return
  for (const slot of frame.querySelectorAll('[data-slot]')) {
    const text = plan[lang][slot.dataset.slot]
    if (text) slot.textContent = text
  }
  // As `app/layout/rail.ts` keeps it.
  try {
    const { id } = JSON.parse(local('userToken'))
    if (local(`pref.menu.rail.${id}`) === 'true') frame.dataset.rail = 'true'
  } catch {
    // An unreadable sign-in: the guard deals with it.
  }
  frame.hidden = false
})()
