import { API_PATHS } from '@thingwright/contracts/api-paths'
import { Alert, Button, Drawer, Progress, Segmented, Select, Space, Table } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download, type Reply } from '../../lib/api-client.ts'
import { formatNumber } from '../../lib/format.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { uploadFile } from '../../lib/upload.ts'
import { type CarrierName, useAccounts } from './hooks.ts'
import css from './sim-cards.module.css'

type Result = Reply<'simCards.import'>

/** Adds the cards of a table, and names the lines that were left out. */
export function ImportDrawer({ carrier, onClose }: { carrier: CarrierName; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const accounts = useAccounts(carrier)
  const [account, setAccount] = useState<string | null>(null)
  const [existing, setExisting] = useState<'skip' | 'update'>('skip')
  const [file, setFile] = useState<File | null>(null)
  const [sent, setSent] = useState<number | null>(null)
  const [result, setResult] = useState<Result | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const work = useWork({ touches: ['simCards', 'carriers'] })
  const connectionId = account ?? (accounts.length === 1 ? accounts[0]!.id : null)
  const start = () =>
    work.attempt(async () => {
      setSent(0)
      try {
        const answer = await uploadFile<Result>({
          method: 'POST',
          url: API_PATHS['simCards.import'][1],
          fields: { connectionId: connectionId!, existing },
          file: file!,
          signal: new AbortController().signal,
          onProgress: (loaded, total) => setSent(Math.round((loaded / total) * 100)),
        })
        setResult(answer)
      } finally {
        setSent(null)
      }
    })
  return (
    <Drawer
      open
      size={720}
      title={t('import')}
      onClose={onClose}
      footer={
        <Space>
          <Button
            type="primary"
            disabled={connectionId === null || file === null || result !== null}
            loading={work.pending}
            onClick={() => void start()}
          >
            {t('import')}
          </Button>
          <Button onClick={onClose}>{t('close')}</Button>
        </Space>
      }
    >
      <div className={css.stack}>
        <p className={css.quiet}>{t('importLead')}</p>
        <Space wrap>
          <Button
            onClick={() =>
              void work.attempt(() => download('simCards.template', 'sim-cards.xlsx', { query: { format: 'xlsx' } }))
            }
          >
            {t('templateXlsx')}
          </Button>
          <Button
            onClick={() =>
              void work.attempt(() => download('simCards.template', 'sim-cards.csv', { query: { format: 'csv' } }))
            }
          >
            {t('templateCsv')}
          </Button>
        </Space>
        <div>
          {t('account')}
          <Select
            style={{ width: '100%' }}
            aria-label={t('account')}
            placeholder={t('chooseAccount')}
            value={connectionId}
            onChange={setAccount}
            options={accounts.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </div>
        <Segmented
          value={existing}
          onChange={value => setExisting(value as 'skip' | 'update')}
          options={[
            { value: 'skip', label: t('existingSkip') },
            { value: 'update', label: t('existingUpdate') },
          ]}
        />
        <input
          ref={input}
          type="file"
          accept=".csv,.xlsx"
          aria-label={t('file')}
          onChange={event => {
            setFile(event.target.files?.[0] ?? null)
            setResult(null)
          }}
        />
        {sent !== null && <Progress percent={sent} />}
        {result && (
          <>
            <Alert
              type={result.failed > 0 ? 'warning' : 'success'}
              showIcon
              role="status"
              title={t('imported', {
                created: formatNumber(result.created),
                updated: formatNumber(result.updated),
                skipped: formatNumber(result.skipped),
                failed: formatNumber(result.failed),
              })}
            />
            {result.problems.length > 0 && (
              <Table
                size="small"
                rowKey="line"
                pagination={{ pageSize: 20, hideOnSinglePage: true }}
                dataSource={result.problems}
                columns={[
                  { key: 'line', dataIndex: 'line', title: t('line'), width: 72 },
                  { key: 'value', dataIndex: 'value', title: t('value'), width: 200 },
                  { key: 'message', dataIndex: 'message', title: t('reason') },
                ]}
              />
            )}
          </>
        )}
      </div>
    </Drawer>
  )
}
