import { recipes as german } from '../texts/de/recipes.ts'
import { recipes as english } from '../texts/en/recipes.ts'
import { useLanguage } from '../texts/texts.tsx'
import type { RecipeWords } from './recipes.ts'

/** The words of the recipes, which are long: they come with the page that needs them. */
export function useRecipeWords(): RecipeWords {
  return useLanguage().language === 'de' ? german : english
}
