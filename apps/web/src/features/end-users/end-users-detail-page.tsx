import { Spin } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time-text.tsx'

export function EndUserDetailPage() {
  const { t } = useTranslation('end-users')
  const [query] = useSearchParams()
  const id = query.get('id') ?? ''
  const one = useRead('endUsers.get', { params: { id } }, { enabled: id !== '' })
  const crumbs = [{ title: t('title'), to: '/manage/user' }, { title: one.data?.name ?? '' }]
  if (one.isError) return <ErrorState error={one.error} onRetry={() => void one.refetch()} />
  return (
    <>
      <PageHeader title={one.data?.name ?? ''} crumbs={crumbs} />
      <Spin spinning={one.isLoading}>
        <Panel>
          <TimeText value={one.data?.createdAt ?? null} />
        </Panel>
      </Spin>
    </>
  )
}
