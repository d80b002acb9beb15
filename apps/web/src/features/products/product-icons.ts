const svg = (body: string) =>
  `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${body}</svg>`

/** Drawings to choose from for a product; names are keys of the texts. */
export const PRODUCT_ICONS: readonly { name: string; svg: string }[] = [
  {
    name: 'thermometer',
    svg: svg('<path d="M10 14V5a2 2 0 1 1 4 0v9a4 4 0 1 1-4 0z"/><path d="M12 9v7"/><path d="M17 6h3M17 9.500h2"/>'),
  },
  {
    name: 'tank',
    svg: svg(
      '<path d="M5 6c0-1.700 3.100-3 7-3s7 1.300 7 3v12c0 1.700-3.100 3-7 3s-7-1.300-7-3z"/><path d="M5 6c0 1.700 3.100 3 7 3s7-1.300 7-3"/><path d="M5 14c1.500 1 3 1 4.700 0s3.100-1 4.600 0 3.200 1 4.700 0"/>',
    ),
  },
  {
    name: 'pump',
    svg: svg(
      '<circle cx="10" cy="13" r="6"/><path d="M10 7h9v4M4 21h12"/><path d="M10 13l3.500-2M10 13l-3.500-2M10 13v4"/>',
    ),
  },
  {
    name: 'meter',
    svg: svg(
      '<rect x="4" y="3" width="16" height="18" rx="2"/><path d="M8 7h8v4H8z"/><path d="M13 13.500 11 16h2.500l-2 2.500"/>',
    ),
  },
  {
    name: 'greenhouse',
    svg: svg(
      '<path d="M3 20V11l9-7 9 7v9z"/><path d="M12 20v-6M12 16c-2.500 0-4-1.300-4-3.500 2.500 0 4 1.300 4 3.500zM12 14.500c2 0 3.300-1.100 3.300-3-2 0-3.300 1.100-3.300 3z"/>',
    ),
  },
  {
    name: 'truck',
    svg: svg(
      '<path d="M2 6h12v11H2zM14 10h4.500L22 13.500V17h-8z"/><circle cx="6.500" cy="17.500" r="2"/><circle cx="17.500" cy="17.500" r="2"/>',
    ),
  },
  {
    name: 'cold',
    svg: svg(
      '<path d="M12 3v18M4.200 7.500l15.600 9M19.800 7.500l-15.600 9"/><path d="M9.500 4.500 12 7l2.500-2.500M9.500 19.500 12 17l2.500 2.500"/>',
    ),
  },
  { name: 'factory', svg: svg('<path d="M3 21V10l6 4v-4l6 4V4h4l2 17z"/><path d="M7 17h2M12 17h2"/>') },
  {
    name: 'gateway',
    svg: svg(
      '<rect x="3" y="13" width="18" height="7" rx="2"/><path d="M7 16.500h.01M10.500 16.500h.01M17 13v-3"/><path d="M13.500 7a5 5 0 0 1 7 0M15.300 9a2.500 2.500 0 0 1 3.400 0"/>',
    ),
  },
  {
    name: 'motor',
    svg: svg(
      '<rect x="5" y="7" width="12" height="10" rx="2"/><path d="M17 10.500h4v3h-4M2 12h3M8 7V4.500h6V7M8 10v4M11 10v4M14 10v4M7 17v3M15 17v3"/>',
    ),
  },
  { name: 'valve', svg: svg('<path d="M3 10v8l9-4zM21 10v8l-9-4zM12 14V6M8 4.500h8"/>') },
  {
    name: 'light',
    svg: svg(
      '<path d="M9 17h6M10 20.500h4M8.500 14.500a6 6 0 1 1 7 0c-.6.500-.5 1.500-.5 2.500H9c0-1 .1-2-.5-2.500z"/>',
    ),
  },
  { name: 'camera', svg: svg('<path d="M3 8h3l1.500-2.500h7L16 8h5v11H3z"/><circle cx="12" cy="13.200" r="3.600"/>') },
]
