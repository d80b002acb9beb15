import type { DeviceImportFile, ImportField, ImportOptions } from '@thingwright/contracts/device-imports.contract'
import { Button, Drawer, Steps } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import css from './bulk.module.css'
import { ImportMapping, type Mapping } from './import-mapping.tsx'
import { ImportResult } from './import-result.tsx'
import { ImportUpload } from './import-upload.tsx'
import { useTask } from './use-task.ts'

type Run = { id: string; taskId: string; dryRun: boolean }

/** Devices from a table in four steps: file, columns, trial, import. Nothing changes before the last one. */
export function ImportDrawer({
  productId,
  onChanged,
  onClose,
}: {
  productId: string | null
  onChanged: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('bulk')
  const [file, setFile] = useState<DeviceImportFile | null>(null)
  /** Reads the file once more with its titles in another row. */
  const [again, setAgain] = useState<((headRow: number) => Promise<void>) | null>(null)
  const [mapping, setMapping] = useState<Mapping | null>(null)
  const [run, setRun] = useState<Run | null>(null)
  const create = useAct('deviceImports.create', {
    done: (reply, { body }) => setRun({ ...reply, dryRun: body.dryRun }),
  })
  const task = useTask(run?.taskId ?? null)
  const ended = Boolean(task.data?.endedAt)
  const imported = run !== null && !run.dryRun && ended
  const told = useRef(onChanged)
  told.current = onChanged
  useEffect(() => {
    if (imported) told.current()
  }, [imported])
  const step = run ? (run.dryRun ? 2 : 3) : file ? 1 : 0
  const ready = useMemo(() => mapping?.columns.includes('deviceNo') ?? false, [mapping])

  const take = (read: DeviceImportFile, next: (headRow: number) => Promise<void>) => {
    setMapping(null)
    setFile(read)
    setAgain(() => next)
  }
  const start = async (dryRun: boolean) => {
    if (!file || !mapping) return
    const body: ImportOptions = {
      fileId: file.id,
      table: mapping.table,
      columns: mapping.columns as (ImportField | null)[],
      productId: mapping.productId,
      existing: mapping.existing,
      createGroups: mapping.createGroups,
      history: mapping.history,
      dryRun,
    }
    await create.run({ body })
  }
  const cancel = useAct('tasks.cancel')
  const { attempt } = useWork()
  return (
    <Drawer
      open
      size={1040}
      title={t('importTitle')}
      onClose={onClose}
      footer={
        <div className={css.foot}>
          {step === 1 && (
            <>
              <Button className={css.footLeft ?? ''} onClick={() => setFile(null)}>
                {t('otherFile')}
              </Button>
              <Button type="primary" disabled={!ready} loading={create.pending} onClick={() => void start(true)}>
                {t('check')}
              </Button>
            </>
          )}
          {step > 1 && !ended && run && (
            <Button danger onClick={() => void cancel.run({ params: { id: run.taskId } })}>
              {t('stop')}
            </Button>
          )}
          {step > 1 && ended && task.data?.file && run && (
            <Button
              onClick={() =>
                void attempt(() =>
                  download('tasks.download', task.data?.file?.name ?? 'errors.csv', { params: { id: run.taskId } }),
                )
              }
            >
              {t('failuresFile')}
            </Button>
          )}
          {step === 2 && ended && (
            <>
              <Button onClick={() => setRun(null)}>{t('backToColumns')}</Button>
              <Button
                type="primary"
                loading={create.pending}
                disabled={task.data?.state !== 'succeeded' && task.data?.state !== 'partial'}
                onClick={() => void start(false)}
              >
                {t('importNow')}
              </Button>
            </>
          )}
          {step === 3 && (
            <Button type="primary" onClick={onClose}>
              {ended ? t('close') : t('background')}
            </Button>
          )}
        </div>
      }
    >
      <div className={css.stack}>
        <Steps
          size="small"
          current={step}
          items={(['File', 'Columns', 'Trial', 'Import'] as const).map(name => ({ title: t(`step${name}`) }))}
        />
        {step === 0 && <ImportUpload onFile={take} />}
        {step === 1 && file && (
          <ImportMapping
            key={file.id}
            file={file}
            productId={productId}
            mapping={mapping}
            onChange={setMapping}
            {...(again ? { onHeadRow: again } : {})}
          />
        )}
        {step > 1 && task.data && run && <ImportResult task={task.data} run={run} />}
      </div>
    </Drawer>
  )
}
