import { ConfigProvider } from 'antd'
import enUS from 'antd/es/locale/en_US'
import zhCN from 'antd/es/locale/zh_CN'
import { type ReactNode, useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAppearance } from '../../lib/appearance.ts'
import { useBranding } from '../../lib/branding.ts'
import { locale } from '../../lib/i18n.ts'
import { useReducedMotion } from '../../lib/reduced-motion.ts'
import { ServerState } from '../../lib/server-state/server-state.tsx'
import { keepOverlayFocus } from '../overlay-focus.ts'
import { antdTheme } from '../theme.ts'

/** What console parts stand on: the component library in our colours and language, and the one query cache. */
export function ConsoleFrame({ children }: { children: ReactNode }) {
  useTranslation('shell')
  const mode = useAppearance(s => s.mode)
  const colour = useBranding(s => s.colour)
  const still = useReducedMotion()
  const theme = useMemo(() => antdTheme(mode, still), [mode, colour, still])
  useEffect(() => keepOverlayFocus(document), [])
  return (
    <ConfigProvider
      locale={locale() === 'en' ? enUS : zhCN}
      theme={theme}
      button={{ autoInsertSpace: false }}
      wave={{ disabled: still }}
    >
      <ServerState>{children}</ServerState>
    </ConfigProvider>
  )
}
