import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { ServerState } from '../../lib/server-state/server-state.tsx'
import { CodeBlock } from './code-block.tsx'
import { OwnApps } from './own-apps.tsx'
import { PageFrame } from './page-frame.tsx'
import css from './public-pages.module.css'

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }))

/** What can be had of this installation: the console on a phone, the company's own apps, the device library, the simulators. */
export function DownloadsPage() {
  const { t } = useTranslation('public-pages')
  const console_ = `${location.origin}/index`
  const protocol = `${location.origin}/alonePage/ApiInterfaceOpen#device-protocol`
  const local = /^(localhost|127\.|\[::1\])/.test(location.host)
  return (
    <PageFrame
      title={t('downloads.title')}
      lead={t('downloads.lead')}
      anchors={(['phone', 'portal', 'sdk', 'simulators', 'api'] as const).map(id => ({
        id,
        label: t(`downloads.${id}.title`),
      }))}
    >
      <section aria-labelledby="phone" className={css.withQr}>
        <div>
          <h2 id="phone">{t('downloads.phone.title')}</h2>
          <p>{t('downloads.phone.text')}</p>
          <CodeBlock text={console_} />
          {local && <p className={css.warn}>{t('downloads.phone.local')}</p>}
        </div>
        <Qr value={console_} label={t('downloads.phone.qr')} />
      </section>
      <ServerState>
        <OwnApps />
      </ServerState>
      <section aria-labelledby="sdk" className={css.withQr}>
        <div>
          <h2 id="sdk">{t('downloads.sdk.title')}</h2>
          <p>{t('downloads.sdk.text')}</p>
          <CodeBlock
            text={
              "import { connectDevice } from '@thingwright/device-sdk'\n\nconst device = await connectDevice({\n  url: 'mqtt://host:1883',\n  productKey,\n  deviceNo,\n  deviceSecret,\n})\nawait device.postProperties({ temperature: 21.5 })"
            }
          />
          <p>{t('downloads.sdk.where')}</p>
        </div>
        <Qr value={protocol} label={t('downloads.sdk.qr')} />
      </section>
      <section aria-labelledby="simulators">
        <h2 id="simulators">{t('downloads.simulators.title')}</h2>
        <p>{t('downloads.simulators.text')}</p>
        <CodeBlock text="npm run simulate -- --help" />
      </section>
      <section aria-labelledby="api">
        <h2 id="api">{t('downloads.api.title')}</h2>
        <p>
          {t('downloads.api.text')}{' '}
          <a href="/api/openapi.json" download="openapi.json">
            openapi.json
          </a>
        </p>
      </section>
    </PageFrame>
  )
}

function Qr({ value, label }: { value: string; label: string }) {
  return (
    <figure className={css.qr}>
      <div role="img" aria-label={`${label}: ${value}`}>
        <span aria-hidden="true">
          <Suspense fallback={<span className={css.qrWaiting} />}>
            <QrCode value={value} />
          </Suspense>
        </span>
      </div>
      <figcaption>{label}</figcaption>
    </figure>
  )
}
