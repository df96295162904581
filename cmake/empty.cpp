// Holds nothing: for targets that exist for their properties.
