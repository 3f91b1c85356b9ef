/* Compiles one SCSS file with libsass and prints the CSS. The driver itself is not protected: it stands
   for the code around a protected library. */

#include <sass.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FILE.scss\n", argv[0]);
    return 2;
  }

  struct Sass_File_Context *file = sass_make_file_context(argv[1]);
  struct Sass_Context *context = sass_file_context_get_context(file);
  struct Sass_Options *options = sass_context_get_options(context);
  sass_option_set_output_style(options, SASS_STYLE_EXPANDED);
  sass_option_set_precision(options, 10);

  int status = sass_compile_file_context(file);
  if (status == 0)
    fputs(sass_context_get_output_string(context), stdout);
  else
    fputs(sass_context_get_error_message(context), stderr);

  sass_delete_file_context(file);
  return status == 0 ? 0 : 1;
}
