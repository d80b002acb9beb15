import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import css from '../cloud-pages.module.css'
import { CameraSelect } from '../editor/camera-select.tsx'
import { OneDevice } from '../editor/device-select.tsx'
import { listed } from '../hooks.ts'
import type { Chosen, Here, Unbound } from './page-bindings.ts'

/** What of an imported page is of another company: a device and camera of this one is chosen for each, now or later. */
export function ImportBindings({
  here,
  chosen,
  onChange,
}: {
  here: Here
  chosen: Chosen
  onChange(chosen: Chosen): void
}) {
  const { t } = useTranslation('cloud-pages')
  const { unboundRoles, unboundCameras, missingChoices, missingRoles } = here
  if (unboundRoles.length + unboundCameras.length + missingChoices.length + missingRoles.length === 0) return null
  const row = (each: Unbound, control: React.ReactNode) => (
    <li key={each.key}>
      <span className={css.grow}>
        {each.name}
        {each.was !== '' && <div className={css.note}>{t('bindings_.was', { name: each.was })}</div>}
      </span>
      <span className={css.choice}>{control}</span>
    </li>
  )
  return (
    <section className={css.bindings} aria-label={t('bindings_.title')}>
      <Alert
        type="info"
        showIcon
        title={t('bindings_.title')}
        description={
          <>
            {unboundRoles.length + unboundCameras.length > 0 && <p>{t('bindings_.text')}</p>}
            {missingChoices.length > 0 && <p>{t('bindings_.choices', { names: listed(missingChoices) })}</p>}
            {missingRoles.length > 0 && <p>{t('bindings_.roles', { names: listed(missingRoles) })}</p>}
          </>
        }
      />
      <ul className={css.links}>
        {unboundRoles.map(each =>
          row(
            each,
            <OneDevice
              label={t('bindings_.deviceOf', { name: each.name })}
              value={chosen.devices.get(each.key)?.id ?? null}
              disabled={false}
              onChange={(id, productId) =>
                onChange({
                  ...chosen,
                  devices: new Map(chosen.devices).set(each.key, id === null ? null : { id, productId }),
                })
              }
            />,
          ),
        )}
        {unboundCameras.map(each =>
          row(
            each,
            <CameraSelect
              size="small"
              disabled={false}
              aria-label={t('bindings_.cameraOf', { name: each.name })}
              value={chosen.cameras.get(each.key) ?? ''}
              onChange={id =>
                onChange({ ...chosen, cameras: new Map(chosen.cameras).set(each.key, id === '' ? null : id) })
              }
            />,
          ),
        )}
      </ul>
    </section>
  )
}
