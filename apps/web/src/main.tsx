import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { loadConsoleShell } from './app/layout/console-shell-loader.ts'
import { Notices } from './app/layout/notices.tsx'
import { prefetchPage } from './app/page-loading.ts'
import { ProgressBar } from './app/progress-bar/progress-bar.tsx'
import { createRouter } from './app/router.tsx'
import { scheduleServiceWorker } from './app/service-worker.ts'
import { followSystemAppearance, useAppearance } from './lib/appearance.ts'
import { loadTexts, onLocale, startI18n, text } from './lib/i18n.ts'
import { goTo, languageOf, withoutLanguage } from './lib/navigation.ts'
import { followOtherTabs, isSignedIn } from './lib/session.ts'
import { clearCachedInfo } from './lib/storage.ts'
import { applyTokens } from './lib/tokens.ts'
import { setWarmUp } from './lib/warm-up.ts'
import { registerAllTexts } from './texts.ts'
import './app/base.css'

async function start(): Promise<void> {
  applyTokens(useAppearance.getState().mode)
  useAppearance.subscribe(({ mode }) => applyTokens(mode))
  followSystemAppearance()

  registerAllTexts()
  await startI18n(languageOf(window.location.pathname) ?? undefined)
  // What the first page will need is downloaded beside the guard's questions, not after them.
  const path = withoutLanguage(window.location.pathname)
  const downloadConsole = () => void loadConsoleShell().catch(() => undefined)
  setWarmUp(downloadConsole)
  if (isSignedIn()) {
    downloadConsole()
    prefetchPage(path)
  } else if (path === '/' || path === '/index') prefetchPage('/index')
  await loadTexts('common', 'shell')
  document.title = text('shell:title')
  onLocale(() => {
    document.title = text('shell:title')
  })

  window.addEventListener('keydown', event => {
    if (event.key === 'F5') clearCachedInfo()
  })
  followOtherTabs(
    () => goTo('/index'),
    () => window.location.reload(),
  )

  const router = createRouter()
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <ProgressBar />
      <RouterProvider router={router} />
      <Notices />
    </StrictMode>,
  )
  scheduleServiceWorker()
}

void start()
