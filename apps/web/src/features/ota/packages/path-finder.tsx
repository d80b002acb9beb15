import type { FirmwarePackageView, FirmwarePath } from '@thingwright/contracts/firmware.contract'
import { Button, Input } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../lib/errors.ts'
import { formatBytes } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import css from '../ota.module.css'
import { VERSION_PATTERN } from './package-fields.ts'
import own from './packages.module.css'

/** Asks how a device gets from a version to this package: which deltas one after the other, or the whole. */
export function PathFinder({ of }: { of: FirmwarePackageView }) {
  const { t } = useTranslation('ota')
  const id = useId()
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState<string | null>(null)
  const valid = typed === '' || VERSION_PATTERN.test(typed)
  const path = useRead(
    'firmware.path',
    { params: { id: of.id }, query: asked ? { fromVersion: asked } : {} },
    { enabled: asked !== null },
  )
  return (
    <section>
      <h3 className={css.heading}>{t('path.title')}</h3>
      <form
        className={css.inline}
        onSubmit={event => {
          event.preventDefault()
          if (valid) setAsked(typed.trim())
        }}
      >
        <label htmlFor={id}>{t('path.from')}</label>
        <Input
          id={id}
          style={{ width: 180 }}
          value={typed}
          maxLength={64}
          {...(valid ? {} : { status: 'error' as const })}
          placeholder={t('versionUnknown')}
          onChange={event => setTyped(event.target.value.trim())}
        />
        <Button htmlType="submit" disabled={!valid} loading={path.isFetching}>
          {t('path.show')}
        </Button>
      </form>
      {path.isError && <p className={css.error}>{errorFacts(path.error).message}</p>}
      {path.data && <PathSteps path={path.data} />}
    </section>
  )
}

/** Steps in a row, each with what it weighs. */
export function PathSteps({ path }: { path: Pick<FirmwarePath, 'fromVersion' | 'steps' | 'totalBytes'> }) {
  const { t } = useTranslation('ota')
  if (path.steps.length === 0) return <p className={css.muted}>{t('path.none')}</p>
  return (
    <div className={css.path}>
      <code>{path.fromVersion ?? t('versionUnknown')}</code>
      {path.steps.map((step, at) => (
        <span key={at} className={own.pathStep}>
          <span className={css.arrow} aria-hidden="true">
            →
          </span>
          <code>{step.version}</code>
          <span className={css.muted}>
            {t(`packageKind.${step.kind}`)} {formatBytes(step.size)}
          </span>
        </span>
      ))}
      {path.steps.length > 1 && (
        <span className={css.muted}>{t('path.total', { size: formatBytes(path.totalBytes) })}</span>
      )}
    </div>
  )
}
