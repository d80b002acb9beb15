import { useTranslation } from 'react-i18next'
import { Panel } from '../../../ui/panel.tsx'
import type { Settings } from './hooks.ts'
import css from './settings.module.css'

/** What leaves the installation and what never does, in plain words, for the engine that is chosen. */
export function PolicyPanel({ settings }: { settings: Settings }) {
  const { t } = useTranslation('settings')
  const model = settings.engine === 'own' || settings.engine === 'installation'
  return (
    <Panel title={t('policy.title')} hint={t('policy.hint')}>
      {!model && <p className={css.lead}>{t(settings.engine === 'off' ? 'policy.off' : 'policy.builtin')}</p>}
      {model && (
        <>
          <h3 className={css.subtitle}>{t('policy.told')}</h3>
          <ul className={css.list}>
            <li>{t('policy.question')}</li>
            <li>{t('policy.names')}</li>
            <li>{t(settings.sendValues ? 'policy.values' : 'policy.noValues')}</li>
          </ul>
          <h3 className={css.subtitle}>{t('policy.never')}</h3>
          <ul className={css.list}>
            <li>{t('policy.secrets')}</li>
            <li>{t('policy.beyond')}</li>
            <li>{t('policy.acts')}</li>
          </ul>
        </>
      )}
    </Panel>
  )
}
