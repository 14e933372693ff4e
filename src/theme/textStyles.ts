import { defineTextStyles } from '@chakra-ui/react';

const style = (fontSize: string, lineHeight: string) => ({ value: { fontSize, lineHeight } });

/** Chakra's text sizes, without the largest ones, which no screen uses. */
export const textStyles = defineTextStyles({
  '2xs': style('2xs', '0.75rem'),
  xs: style('xs', '1rem'),
  sm: style('sm', '1.25rem'),
  md: style('md', '1.5rem'),
  lg: style('lg', '1.75rem'),
  xl: style('xl', '1.875rem'),
  '2xl': style('2xl', '2rem'),
  '3xl': style('3xl', '2.375rem'),
  label: { value: { fontSize: 'sm', lineHeight: '1.25rem', fontWeight: 'medium' } },
});
