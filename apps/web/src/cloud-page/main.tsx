import { createRoot } from 'react-dom/client'
import './page.css'
import { VisitedPage } from './visited-page.tsx'

const suffix = decodeURIComponent(location.pathname.split('/')[2] ?? '')
createRoot(document.getElementById('root')!).render(<VisitedPage suffix={suffix} />)
