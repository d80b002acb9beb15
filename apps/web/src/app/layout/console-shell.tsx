import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet } from 'react-router'
import { locale, onLocale } from '../../lib/i18n.ts'
import { startLive } from '../../lib/live-socket.ts'
import { queryClient } from '../../lib/query-client.ts'
import { ProofHost } from '../../ui/proof/proof-host.tsx'
import { useEarlyFrameEnd } from '../early-frame.ts'
import { Announcements } from './announcements.tsx'
import { Banners } from './banners.tsx'
import { ConsoleFrame } from './console-frame.tsx'
import './area-tabs.ts'
import { ConsoleHeader } from './console-header.tsx'
import { useFocusReturn } from './focus-return.ts'
import css from './layout.module.css'
import { OfflineStrip } from './offline-strip.tsx'
import { PreviewBar } from './preview-bar.tsx'
import { useRightsWatch } from './rights-watch.ts'
import { SideMenu } from './side-menu.tsx'
import { EnteredBar, SupportBar } from './support-bar.tsx'

const dateLocale = (now: 'zh' | 'en') => dayjs.locale(now === 'zh' ? 'zh-cn' : 'en')
dateLocale(locale())
onLocale(now => {
  dateLocale(now)
  // Names and messages that the server writes are in the language of the request.
  void queryClient.invalidateQueries()
})

/** The console's frame: side menu at the left, page at the right, and what console pages stand on. */
export function ConsoleShell() {
  useTranslation('shell')
  useEffect(startLive, [])
  useRightsWatch()
  useEarlyFrameEnd()
  useFocusReturn()
  return (
    <ConsoleFrame>
      <ConsoleHeader />
      <div className={css.console}>
        <SideMenu />
        <main className={css.content} id="tw-content" tabIndex={-1}>
          <Banners>
            <PreviewBar />
            <SupportBar />
            <EnteredBar />
            <Announcements />
            <OfflineStrip />
          </Banners>
          <ProofHost />
          <div className={css.page}>
            <Outlet />
          </div>
        </main>
      </div>
    </ConsoleFrame>
  )
}
