import { DownloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FetchPage, ListColumn } from '../../../ui/list-page/list-types.ts'

const Dialog = lazy(async () => {
  const { ExportDialog } = await import('../../../ui/list-page/export-dialog.tsx')
  return {
    default: function Export({
      file,
      fetchPage,
      columns,
      onClose,
    }: {
      file: string
      fetchPage: FetchPage<unknown>
      columns: readonly ListColumn<unknown>[]
      onClose: () => void
    }) {
      return (
        <ExportDialog
          fileName={file}
          fetchPage={fetchPage}
          input={{ limit: 100, filters: {} }}
          columns={columns}
          onClose={onClose}
        />
      )
    },
  }
})

/** Saves the whole of a list as CSV, page by page. */
export function ExportButton<T>({
  name,
  columns,
  fetchPage,
}: {
  /** Without date and ending. */
  name: string
  columns: readonly ListColumn<T>[]
  fetchPage: FetchPage<T>
}) {
  const { t } = useTranslation('subscriptions')
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        icon={<DownloadOutlined aria-hidden />}
        aria-label={t('export')}
        title={t('export')}
        onClick={() => setOpen(true)}
      />
      {open && (
        <Suspense>
          <Dialog
            file={`${name.replace(/[\\/:*?"<>|]/g, '_')}-${new Date().toISOString().slice(0, 10)}.csv`}
            columns={columns as unknown as readonly ListColumn<unknown>[]}
            fetchPage={fetchPage as FetchPage<unknown>}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}
