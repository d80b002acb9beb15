import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../ui/status-tag.tsx'
import css from './apps.module.css'

/** What somebody would do at WeChat, played at the product's own simulator: marked as such. */
export function SimulatedAct({ children }: { children: ReactNode }) {
  const { t } = useTranslation('apps')
  return (
    <span className={css.simulated} data-testid="simulated">
      <StatusTag kind="neutral">{t('simulator.mark')}</StatusTag>
      {children}
    </span>
  )
}
