import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { Notices } from './app/layout/notices.tsx'
import { ProgressBar } from './app/progress-bar/progress-bar.tsx'
import { createRouter } from './app/router.tsx'
import { scheduleServiceWorker } from './app/service-worker.ts'
import { warmStart } from './app/warm-start.ts'
import { followSystemAppearance, useAppearance } from './lib/appearance.ts'
import { applyBranding, followBranding } from './lib/branding.ts'
import { keepComposition } from './lib/composition.ts'
import { loadTexts, startI18n } from './lib/i18n.ts'
import { goTo, languageOf } from './lib/navigation.ts'
import { followOtherTabs } from './lib/session.ts'
import { clearCachedInfo } from './lib/storage.ts'
import { applyTokens } from './lib/tokens.ts'
import { showUnhandled } from './lib/unhandled.ts'
import { registerAllTexts } from './texts.ts'
import './app/base.css'

async function start(): Promise<void> {
  showUnhandled()
  keepComposition(window)
  const paint = () => {
    applyTokens(useAppearance.getState().mode)
    applyBranding()
  }
  paint()
  useAppearance.subscribe(paint)
  followSystemAppearance()

  registerAllTexts()
  await startI18n(languageOf(window.location.pathname) ?? undefined)
  warmStart(window.location.pathname)
  await loadTexts('common', 'shell')
  followBranding()

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
