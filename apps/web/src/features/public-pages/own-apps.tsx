import type { AppletView } from '@thingwright/contracts/wechat-applets.contract'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { send } from '../../lib/api/send.ts'
import { urlOf } from '../../lib/api-client.ts'
import { boot } from '../../lib/boot.ts'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { useSession } from '../../lib/session.ts'
import { CodeBlock } from './code-block.tsx'
import css from './public-pages.module.css'

const QrCode = lazy(async () => ({ default: (await import('./qr-code.tsx')).QrCode }))

/**
 * The company's own portal and mini-program for its end users, each with its code, or what is missing for it. Whose they
 * are is known on the portal's own host, and of who is signed in.
 */
export function OwnApps() {
  const signedIn = useSession(s => s.token !== null)
  const mayRead = useMay('webApps.list')
  return signedIn && mayRead ? <OfCompany /> : <OfHost signedIn={signedIn} />
}

function OfHost({ signedIn }: { signedIn: boolean }) {
  const { t } = useTranslation('public-pages')
  // The server says in the page whose host this is; on every other host there is nothing to ask for.
  const here = useRead('portals.here', undefined, { enabled: boot().portal !== null })
  if (here.data) {
    const address = `${location.origin}/w/${here.data.suffix}`
    return (
      <Part id="portal" picture={<Code value={address} label={t('downloads.portal.qr')} />}>
        <p>{t('downloads.portal.text', { name: here.data.name })}</p>
        <CodeBlock text={address} />
      </Part>
    )
  }
  return (
    <Part id="portal">
      <p>{t(signedIn ? 'downloads.portal.noPermission' : 'downloads.portal.signIn')}</p>
    </Part>
  )
}

function OfCompany() {
  const { t } = useTranslation('public-pages')
  const apps = useRead('webApps.list')
  const applets = useRead('wechatApplets.list')
  const app = apps.data?.items[0]
  const applet = applets.data?.items[0]
  const address = app ? (app.url ?? `${location.origin}${app.path}`) : ''
  return (
    <>
      {apps.data &&
        (app?.enabled ? (
          <Part id="portal" picture={<Code value={address} label={t('downloads.portal.qr')} />}>
            <p>{t('downloads.portal.text', { name: app.name })}</p>
            <CodeBlock text={address} />
          </Part>
        ) : (
          <Part id="portal">
            <Missing to="/apply/WebApp">{t(app ? 'downloads.portal.off' : 'downloads.portal.none')}</Missing>
          </Part>
        ))}
      {applets.data &&
        (applet?.state === 'authorized' ? (
          <Applet applet={applet} />
        ) : (
          <Part id="applet">
            <Missing to="/apply/WechatApplet/info">
              {t(applet && applet.state !== 'none' ? 'downloads.applet.ended' : 'downloads.applet.none')}
            </Missing>
          </Part>
        ))}
    </>
  )
}

function Applet({ applet }: { applet: AppletView }) {
  const { t } = useTranslation('public-pages')
  const versions = useRead('wechatApplets.versions', { params: { id: applet.id } })
  const all = versions.data?.items ?? []
  const isReleased = all.some(({ state }) => state === 'released')
  const name = applet.info?.name || applet.appId || ''
  return (
    <Part id="applet" {...(all.length > 0 && applet.mode === 'platform' ? { picture: <Trial applet={applet} /> } : {})}>
      <p>{t(isReleased ? 'downloads.applet.released' : 'downloads.applet.unreleased', { name })}</p>
      {!isReleased && <Missing to="/apply/WechatApplet/info">{t('downloads.applet.release')}</Missing>}
    </Part>
  )
}

/** The code of the trial version, as WeChat draws it. */
function Trial({ applet }: { applet: AppletView }) {
  const { t } = useTranslation('public-pages')
  const [address, setAddress] = useState<string | null>(null)
  const { attempt, error } = useWork({ notice: false })
  useEffect(() => {
    let made: string | null = null
    void attempt(async () => {
      const url = urlOf('/api/v1/wechat-applets/{id}/trial-qr', { id: applet.id }, {})
      const reply = await send({ method: 'GET', url, headers: new Headers() })
      made = URL.createObjectURL(await reply.blob())
      setAddress(made)
    })
    return () => {
      if (made) URL.revokeObjectURL(made)
    }
  }, [applet.id, attempt])
  if (error !== null) return <p>{t('downloads.applet.noCode')}</p>
  return (
    <figure className={css.qr}>
      <div>
        {address ? (
          <img src={address} alt={t('downloads.applet.qr')} width={168} height={168} />
        ) : (
          <span className={css.qrWaiting} />
        )}
      </div>
      <figcaption>{t('downloads.applet.qr')}</figcaption>
    </figure>
  )
}

function Part({ id, picture, children }: { id: 'portal' | 'applet'; picture?: ReactNode; children: ReactNode }) {
  const { t } = useTranslation('public-pages')
  return (
    <section aria-labelledby={id} className={css.withQr}>
      <div>
        <h2 id={id}>{t(`downloads.${id}.title`)}</h2>
        {children}
      </div>
      {picture}
    </section>
  )
}

function Missing({ to, children }: { to: string; children: ReactNode }) {
  const { t } = useTranslation('public-pages')
  return (
    <p>
      {children} <Link to={to}>{t('downloads.setUp')}</Link>
    </p>
  )
}

function Code({ value, label }: { value: string; label: string }) {
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
