import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { TOKENS } from '../../../lib/tokens.ts'
import { Panel } from '../../../ui/panel.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import css from '../apps.module.css'
import { imageOf } from './image-of.ts'

/** The sign-in page on a phone as it would be with what stands in the form, and the way there. */
export function Preview({ app }: { app: WebAppView }) {
  const { t } = useTranslation('apps')
  const english = app.language === 'en' || (app.language === 'auto' && locale() === 'en')
  const name = english ? app.nameEn || app.name : app.name
  const colour = app.colour && /^#[0-9a-f]{6}$/i.test(app.colour) ? app.colour : TOKENS.light.primary
  const [logo, background] = [imageOf(app, 'logo'), imageOf(app, 'background')]
  const address = app.url ? `${app.url}/` : `${window.location.origin}${app.path}`
  return (
    <Panel title={t('webApp.preview')} flush>
      <div
        className={css.phone}
        data-testid="portal-preview"
        aria-hidden="true"
        style={background ? { backgroundImage: `url("${background}")` } : undefined}
      >
        <div className={css.phoneHead}>
          {logo && <img src={logo} alt="" />}
          <span dir="auto">{name}</span>
        </div>
        <div className={css.phoneCard}>
          <span className={css.phoneField}>{t('webApp.sampleUser')}</span>
          <span className={css.phoneField}>{t('webApp.samplePassword')}</span>
          <span className={css.phoneButton} style={{ background: colour }}>
            {t('webApp.sampleSignIn')}
          </span>
        </div>
        <div className={css.phoneFoot}>
          {[app.copyright, app.icp].filter(Boolean).map(line => (
            <div key={line} dir="auto">
              {line}
            </div>
          ))}
        </div>
        <div className={css.phoneMenu}>
          {app.menus.map((menu, at) => (
            <span key={at} dir="auto" style={at === 0 ? { color: colour, fontWeight: 600 } : undefined}>
              {(english ? menu.en || menu.zh : menu.zh || menu.en) || t(`webApp.section.${menu.section}`)}
            </span>
          ))}
        </div>
      </div>
      <div className={css.address}>
        {app.enabled && <QrCode value={address} label={t('webApp.qr')} size={120} />}
        <span className={css.mono}>{address}</span>
        {!app.enabled && <span className={css.note}>{t('webApp.offNote')}</span>}
      </div>
    </Panel>
  )
}
