/** The icon of a platform that has none of its own: a speech bubble that listens. */
export const BUILT_IN_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1f4fd8"/>
<path d="M9 7h14a4 4 0 0 1 4 4v7a4 4 0 0 1-4 4h-7l-6 5v-5H9a4 4 0 0 1-4-4v-7a4 4 0 0 1 4-4z" fill="#fff"/>
<circle cx="11" cy="14.5" r="1.8" fill="#1f4fd8"/>
<circle cx="16" cy="14.5" r="1.8" fill="#1f4fd8"/>
<circle cx="21" cy="14.5" r="1.8" fill="#1f4fd8"/>
</svg>
`;
