import { QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import enUS from 'antd/es/locale/en_US'
import zhCN from 'antd/es/locale/zh_CN'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Outlet } from 'react-router'
import { useAppearance } from '../../lib/appearance.ts'
import { useBranding } from '../../lib/branding.ts'
import { locale, onLocale } from '../../lib/i18n.ts'
import { startLive } from '../../lib/live-socket.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useSession } from '../../lib/session.ts'
import { ProofHost } from '../../ui/proof/proof-host.tsx'
import { useEarlyFrameEnd } from '../early-frame.ts'
import { antdTheme } from '../theme.ts'
import { Announcements } from './announcements.tsx'
import { ConsoleHeader } from './console-header.tsx'
import './device-tabs.ts'
import { useFocusReturn } from './focus-return.ts'
import css from './layout.module.css'
import { OfflineStrip } from './offline-strip.tsx'
import { PreviewBar } from './preview-bar.tsx'
import { useRightsWatch } from './rights-watch.ts'
import { SideMenu } from './side-menu.tsx'
import { SupportBar } from './support-bar.tsx'

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
  const mode = useAppearance(s => s.mode)
  const colour = useBranding(s => s.colour)
  const theme = useMemo(() => antdTheme(mode), [mode, colour])
  const menusLoaded = useSession(s => s.menus !== null)
  useEffect(startLive, [])
  useRightsWatch()
  useEarlyFrameEnd()
  useFocusReturn()
  return (
    <ConfigProvider locale={locale() === 'en' ? enUS : zhCN} theme={theme} button={{ autoInsertSpace: false }}>
      <QueryClientProvider client={queryClient}>
        <ConsoleHeader />
        <div className={css.console}>
          {menusLoaded ? <SideMenu /> : <aside className={css.side} />}
          <main className={css.content} id="tw-content" tabIndex={-1}>
            <PreviewBar />
            <SupportBar />
            <Announcements />
            <OfflineStrip />
            <ProofHost />
            <div className={css.page}>
              <Outlet />
            </div>
          </main>
        </div>
      </QueryClientProvider>
    </ConfigProvider>
  )
}
