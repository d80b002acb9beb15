import type { TaskView } from '@thingwright/contracts/tasks.contract'
import type { ImportFileView } from '@thingwright/contracts/transfer.contract'
import { TRANSFER_KINDS } from '@thingwright/contracts/transfer.words'
import { Alert, Button, Checkbox, Input, Progress, Segmented, Switch } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../../lib/api-client.ts'
import { formatBytes } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { uploadFile } from '../../../lib/upload.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { rightName } from '../../../ui/rights/right-words.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../company.module.css'

type Kind = (typeof TRANSFER_KINDS)[number]
const LEAST_PASSPHRASE = 12

/** The whole company to and from one file. */
export function TransferTab() {
  const mayExport = useMay('transfer.export')
  return (
    <Stack>
      {mayExport && <ExportPanel />}
      <ImportPanel />
    </Stack>
  )
}

function ExportPanel() {
  const { t } = useTranslation('company')
  const [materials, setMaterials] = useState(true)
  const [withSecrets, setWithSecrets] = useState(false)
  const [passphrase, setPassphrase] = useState('')
  const [telemetryDays, setTelemetryDays] = useState(0)
  const [task, setTask] = useState<string | null>(null)
  const start = useAct('transfer.export', { done: ({ taskId }) => setTask(taskId) })
  return (
    <Panel title={t('exportTitle')} hint={t('exportHint')}>
      <div className={css.choices}>
        <label htmlFor="export-materials">
          <Switch id="export-materials" checked={materials} onChange={setMaterials} />
          {t('withMaterials')}
        </label>
        <label htmlFor="export-secrets">
          <Switch id="export-secrets" checked={withSecrets} onChange={setWithSecrets} />
          {t('withSecrets')}
        </label>
        {withSecrets && (
          <Input.Password
            aria-label={t('passphrase')}
            placeholder={t('passphraseRule', { count: LEAST_PASSPHRASE })}
            autoComplete="new-password"
            maxLength={128}
            value={passphrase}
            onChange={event => setPassphrase(event.target.value)}
          />
        )}
        <label htmlFor="export-telemetry">
          {t('telemetryDays')}
          <InputNumber
            id="export-telemetry"
            min={0}
            max={400}
            precision={0}
            value={telemetryDays}
            onChange={value => setTelemetryDays(value ?? 0)}
          />
        </label>
      </div>
      <Button
        type="primary"
        loading={start.pending}
        disabled={withSecrets && passphrase.length < LEAST_PASSPHRASE}
        onClick={() =>
          void start.run({ body: { materials, telemetryDays, passphrase: withSecrets ? passphrase : null } })
        }
      >
        {t('exportStart')}
      </Button>
      {task && <TaskLine id={task} />}
    </Panel>
  )
}

function ImportPanel() {
  const { t } = useTranslation('company')
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<ImportFileView | null>(null)
  const { attempt } = useWork()
  const [loaded, setLoaded] = useState<number | null>(null)
  const take = async (picked: File | undefined) => {
    if (!picked) return
    setLoaded(0)
    setFile(null)
    await attempt(async () => {
      setFile(
        await uploadFile<ImportFileView>({
          method: 'POST',
          url: '/api/v1/company/import-files',
          fields: {},
          file: picked,
          signal: new AbortController().signal,
          onProgress: (done, total) => setLoaded(total === 0 ? 0 : done / total),
        }),
      )
    })
    setLoaded(null)
  }
  return (
    <Panel title={t('importTitle')} hint={t('importHint')}>
      <Button loading={loaded !== null} onClick={() => input.current?.click()}>
        {t('chooseFile')}
      </Button>
      {loaded !== null && <Progress percent={Math.round(loaded * 100)} style={{ maxWidth: 560 }} />}
      <input
        ref={input}
        type="file"
        hidden
        data-testid="import-file"
        accept=".zip,application/zip"
        onChange={event => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {file && <ImportForm key={file.id} file={file} />}
    </Panel>
  )
}

function ImportForm({ file }: { file: ImportFileView }) {
  const { t } = useTranslation('company')
  const refused = new Set<Kind>(file.refused.map(({ kind }) => kind))
  const [kinds, setKinds] = useState<Kind[]>(
    TRANSFER_KINDS.filter(kind => (file.counts[kind] ?? 0) > 0 && kind !== 'settings' && !refused.has(kind)),
  )
  const [existing, setExisting] = useState<'keep' | 'replace'>('keep')
  const [passphrase, setPassphrase] = useState('')
  const [task, setTask] = useState<{ id: string; dryRun: boolean } | null>(null)
  const { run, pending } = useAct('transfer.import', {
    done: ({ taskId }, { body: { dryRun } }) => setTask({ id: taskId, dryRun }),
  })
  const start = (dryRun: boolean) =>
    run({ body: { fileId: file.id, kinds, existing, dryRun, passphrase: passphrase || null } })
  return (
    <div style={{ marginTop: 16 }}>
      <Facts
        items={[
          { label: t('fromCompany'), value: file.companyName },
          { label: t('exportedAt'), value: <TimeText value={file.exportedAt} mode="absolute" /> },
          { label: t('fileSize'), value: formatBytes(file.size) },
          { label: t('deviceSecrets'), value: t(file.hasSecrets ? 'secretsSealed' : 'secretsMissing') },
        ]}
      />
      <div className={css.choices} style={{ marginTop: 16 }}>
        <Checkbox.Group
          value={kinds}
          onChange={chosen => setKinds(chosen as Kind[])}
          options={TRANSFER_KINDS.filter(kind => (file.counts[kind] ?? 0) > 0).map(kind => ({
            value: kind,
            label: `${t(`kind.${kind}`)} (${file.counts[kind]})`,
            disabled: refused.has(kind),
          }))}
        />
        <RefusedKinds file={file} />
        <Segmented
          aria-label={t('existing')}
          value={existing}
          onChange={value => setExisting(value as 'keep' | 'replace')}
          options={[
            { value: 'keep', label: t('keepExisting') },
            { value: 'replace', label: t('replaceExisting') },
          ]}
        />
        {file.hasSecrets && (
          <Input.Password
            aria-label={t('passphrase')}
            placeholder={t('passphraseOptional')}
            autoComplete="off"
            maxLength={128}
            value={passphrase}
            onChange={event => setPassphrase(event.target.value)}
          />
        )}
      </div>
      <div className={css.foot}>
        <Button type="primary" loading={pending} disabled={kinds.length === 0} onClick={() => void start(true)}>
          {t('dryRun')}
        </Button>
        <Button danger disabled={kinds.length === 0 || pending || task === null} onClick={() => void start(false)}>
          {t('importStart')}
        </Button>
      </div>
      {task && <TaskLine key={task.id} id={task.id} note={t(task.dryRun ? 'dryRunNote' : 'importNote')} />}
    </div>
  )
}

/** What of the file the reader may not bring in, before anything is tried. */
function RefusedKinds({ file }: { file: ImportFileView }) {
  const { t } = useTranslation('company')
  const { t: words } = useTranslation('rights')
  const shown = file.refused.filter(({ kind }) => (file.counts[kind] ?? 0) > 0)
  if (shown.length === 0) return null
  return (
    <Alert
      type="warning"
      showIcon
      data-testid="import-refused"
      title={t('refusedTitle')}
      description={
        <ul>
          {shown.map(({ kind, code, permissions }) => (
            <li key={kind}>
              {t(code === 'permission.denied' ? 'refusedRight' : 'refusedScope', {
                kind: t(`kind.${kind}`),
                rights: permissions.map(right => rightName(words, right)).join(t('listComma')),
              })}
            </li>
          ))}
        </ul>
      }
    />
  )
}

/** A task from its beginning to its result. */
function TaskLine({ id, note }: { id: string; note?: string }) {
  const { t } = useTranslation('company')
  const task = useRead(
    'tasks.get',
    { params: { id } },
    { refetchInterval: query => (isOpen(query.state.data) ? 1_000 : false) },
  )
  const { attempt } = useWork()
  const { data } = task
  if (!data) return null
  const percent = data.total ? Math.round((Math.min(data.done, data.total) / data.total) * 100) : null
  return (
    <div style={{ marginTop: 16 }} data-testid="transfer-task" data-state={data.state}>
      {isOpen(data) && (
        <Progress
          percent={percent ?? 0}
          status="active"
          format={() => (percent === null ? String(data.done) : `${percent}%`)}
          style={{ maxWidth: 560 }}
        />
      )}
      {data.state === 'failed' && <Alert type="error" showIcon title={data.error?.message ?? t('taskFailed')} />}
      {data.file && (
        <Button
          type="primary"
          onClick={() =>
            void attempt(() => download('tasks.download', data.file?.name ?? 'company.zip', { params: { id } }))
          }
        >
          {t('downloadFile', { size: formatBytes(data.file.size) })}
        </Button>
      )}
      {(data.state === 'succeeded' || data.state === 'partial') && data.summary?.kinds !== undefined && (
        <>
          <p className={css.lead}>{note}</p>
          <Summary kinds={data.summary.kinds as Record<string, Count>} />
          {data.failedCount > 0 && <Failures id={id} />}
        </>
      )}
    </div>
  )
}

interface Count {
  created: number
  replaced: number
  kept: number
  ok: boolean
}

function Summary({ kinds }: { kinds: Record<string, Count> }) {
  const { t } = useTranslation('company')
  return (
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">{t('kindTitle')}</th>
          <th scope="col">{t('created')}</th>
          <th scope="col">{t('replaced')}</th>
          <th scope="col">{t('kept')}</th>
          <th scope="col">{t('result')}</th>
        </tr>
      </thead>
      <tbody>
        {TRANSFER_KINDS.filter(kind => kinds[kind]).map(kind => (
          <tr key={kind}>
            <td>{t(`kind.${kind}`)}</td>
            <td>{kinds[kind]!.created}</td>
            <td>{kinds[kind]!.replaced}</td>
            <td>{kinds[kind]!.kept}</td>
            <td className={kinds[kind]!.ok ? undefined : css.bad}>
              {t(kinds[kind]!.ok ? 'resultOk' : 'resultFailed')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Failures({ id }: { id: string }) {
  const { t } = useTranslation('company')
  const failures = useRead('tasks.failures', { params: { id }, query: { limit: 50 } })
  return (
    <>
      <h3>{t('remarks')}</h3>
      <ul className={css.history}>
        {failures.data?.items.map(item => (
          <li key={item.n}>
            <b>{item.item}</b>
            <span>{item.message}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function isOpen(task: TaskView | undefined): boolean {
  return task === undefined || task.state === 'queued' || task.state === 'running'
}
