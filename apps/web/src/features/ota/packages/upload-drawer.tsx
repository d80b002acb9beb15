import { API_PATHS } from '@thingwright/contracts/api-paths'
import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Button, Drawer, Progress } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { FIRMWARE, useProducts, useSettings } from '../hooks.ts'
import css from '../ota.module.css'
import { FileChoice, type HashedFile } from './file-choice.tsx'
import { packageFields, uploadFields, versionIn } from './package-fields.ts'
import own from './packages.module.css'
import { UploadedPackage } from './uploaded-package.tsx'

/** A new package: the file's hash is read here, then file and facts go up together. */
export function UploadDrawer({
  productId,
  onNext,
  onClose,
}: {
  productId: string | null
  onNext: (next: 'verify' | 'deploy', made: FirmwarePackageView) => void
  onClose: () => void
}) {
  const { t } = useTranslation('ota')
  const { send } = useWork({ touches: FIRMWARE })
  const mayDeploy = useMay('firmware.verify')
  const products = useProducts()
  const [chosen, setChosen] = useState<HashedFile | null>(null)
  const [missing, setMissing] = useState(false)
  const [sent, setSent] = useState<number | null>(null)
  const [made, setMade] = useState<FirmwarePackageView | null>(null)
  const stop = useRef<AbortController | null>(null)
  const initial = useMemo(
    () => ({ productId: productId ?? undefined, module: 'default', kind: 'full', ext: [] as unknown[] }),
    [productId],
  )
  const [about, setAbout] = useState({ productId: productId ?? '', module: 'default' })
  const settings = useSettings(about.productId).data
  const last = useRead(
    'firmware.list',
    { query: { ...about, sort: '-orderNo', limit: 1 } },
    { enabled: about.productId !== '' && about.module !== '' },
  ).data?.items[0]
  const fields = useMemo(
    () =>
      packageFields(t, products, {
        signatureRequired: settings?.requireSignature ?? false,
        lastOrderNo: last?.orderNo ?? null,
        sha256: chosen?.sha256 ?? null,
      }),
    [t, products, settings, last, chosen?.sha256],
  )
  const form = useSchemaForm(fields, initial)
  const { values, set } = form
  const product = String(values.productId ?? '')
  const module = String(values.module ?? '')
  useEffect(() => setAbout({ productId: product, module }), [product, module])
  // The next order number is offered while the person has not written one.
  const offered = useRef<unknown>(undefined)
  useEffect(() => {
    if (last === undefined || (values.orderNo !== undefined && values.orderNo !== offered.current)) return
    offered.current = Math.min(99_999, last.orderNo + 1)
    if (values.orderNo !== offered.current) set('orderNo', offered.current)
  }, [last, values.orderNo, set])
  const choose = (next: HashedFile | null) => {
    setChosen(next)
    setMissing(false)
    if (!next) return
    const version = versionIn(next.file.name)
    if (!values.name) set('name', next.file.name.replace(/\.[^.]+$/, '').slice(0, 64))
    if (!values.version && version) set('version', version)
  }
  const guard = useUnsavedGuard((form.dirty || chosen !== null) && made === null)
  const { busy, failure, submit } = useFormSubmit(form, async checked => {
    if (!chosen?.sha256) return
    stop.current = new AbortController()
    setSent(0)
    const upload = {
      method: 'POST',
      url: API_PATHS['firmware.upload'][1],
      fields: uploadFields({ ...values, ...checked }, chosen.sha256),
      file: chosen.file,
      signal: stop.current.signal,
      onProgress: (loaded: number) => setSent(Math.min(loaded, chosen.file.size)),
    } as const
    try {
      const answer = await send(() => uploadFile<FirmwarePackageView>(upload))
      setMade(answer)
      notify.success(t('upload.done', { version: answer.version }))
    } finally {
      setSent(null)
    }
  })
  const save = () => {
    if (!chosen) setMissing(true)
    if (!chosen?.sha256) {
      // What is wrong with the fields is shown all the same.
      form.submit()
      return
    }
    void submit()
  }
  const close = () => (busy ? stop.current?.abort(new DOMException('cancelled', 'AbortError')) : guard.ask(onClose))
  return (
    <Drawer
      open
      size={720}
      title={t('upload.title')}
      onClose={close}
      maskClosable={!busy}
      footer={
        <div className={css.foot}>
          {made === null ? (
            <>
              <Button onClick={close}>{busy ? t('upload.stop') : t('cancel')}</Button>
              <Button type="primary" loading={busy} disabled={chosen !== null && chosen.sha256 === null} onClick={save}>
                {t('upload.submit')}
              </Button>
            </>
          ) : (
            <>
              <Button onClick={onClose}>{t('close')}</Button>
              {mayDeploy && (
                <>
                  <Button onClick={() => onNext('deploy', made)}>{t('deployNow')}</Button>
                  <Button type="primary" onClick={() => onNext('verify', made)}>
                    {t('package.verify.action')}
                  </Button>
                </>
              )}
            </>
          )}
        </div>
      }
    >
      {made ? (
        <UploadedPackage made={made} sha256={chosen?.sha256 ?? ''} />
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            save()
          }}
        >
          {failure && <FormAlert error={failure.error} rest={failure.rest} />}
          <div className={own.uploadTop}>
            <FileChoice value={chosen} onChange={choose} disabled={busy} />
            {missing && (
              <p className={css.error} role="alert">
                {t('upload.missing')}
              </p>
            )}
            {sent !== null && chosen && (
              <div role="status">
                <Progress
                  percent={Math.floor((sent / chosen.file.size) * 100)}
                  status="active"
                  aria-label={t('upload.sending')}
                />
                <span className={css.muted}>
                  {sent >= chosen.file.size
                    ? t('upload.checking')
                    : t('upload.sent', { sent: formatBytes(sent), total: formatBytes(chosen.file.size) })}
                </span>
              </div>
            )}
          </div>
          <SchemaForm form={form} disabled={busy} />
          <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
        </form>
      )}
      {guard.dialog}
    </Drawer>
  )
}
