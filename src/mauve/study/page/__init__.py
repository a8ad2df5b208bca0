"""The files of the annotation page and of the dashboard, as browsers get them."""
