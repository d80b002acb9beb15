import { PORTAL_IMAGE_KB, PORTAL_IMAGES, type PortalImage } from '@thingwright/contracts/apps.words'
import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import { Button } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { Panel } from '../../../ui/panel.tsx'
import css from '../apps.module.css'
import { imageOf } from './image-of.ts'
import { readImage } from './read-image.ts'

/** Logo, favicon and background: each stored as soon as it is chosen. */
export function ImagesPanel({ app, mayWrite }: { app: WebAppView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  return (
    <Panel title={t('webApp.images')} hint={t('webApp.imagesHint')}>
      <div className={css.images}>
        {PORTAL_IMAGES.map(kind => (
          <ImageRow key={kind} app={app} kind={kind} mayWrite={mayWrite} />
        ))}
      </div>
    </Panel>
  )
}

function ImageRow({ app, kind, mayWrite }: { app: WebAppView; kind: PortalImage; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const input = useRef<HTMLInputElement>(null)
  const set = useAct('webApps.setImage', { done: () => notify.success(t('saved')) })
  const { attempt, pending } = useWork()
  const params = { id: app.id, kind }
  const address = imageOf(app, kind)
  const take = async (file: File | undefined) => {
    if (!file) return
    await attempt(async () => {
      const data = await readImage(kind, file)
      await set.send({ params, body: { data } })
    })
  }
  return (
    <div className={css.imageRow}>
      <span className={css.image}>{address ? <img src={address} alt={t(`webApp.image.${kind}`)} /> : '–'}</span>
      <span className={css.imageText}>
        {t(`webApp.image.${kind}`)}
        <small>{t('webApp.imageHelp', { limit: PORTAL_IMAGE_KB[kind] })}</small>
      </span>
      {mayWrite && (
        <>
          <Button
            aria-label={t('webApp.chooseOf', { what: t(`webApp.image.${kind}`) })}
            loading={pending}
            onClick={() => input.current?.click()}
          >
            {t('webApp.choose')}
          </Button>
          {address && (
            <Button type="link" onClick={() => void set.run({ params, body: { data: null } })}>
              {t('remove')}
            </Button>
          )}
          <input
            ref={input}
            type="file"
            hidden
            aria-label={t(`webApp.image.${kind}`)}
            accept="image/png,image/jpeg,image/webp,image/svg+xml"
            onChange={event => {
              void take(event.target.files?.[0])
              event.target.value = ''
            }}
          />
        </>
      )}
    </div>
  )
}
