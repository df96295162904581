// lmstfy's API and its admin API as sites of the service.
#pragma once

#include "service/site.hpp"

#include <memory>
#include <span>

namespace errand::lmstfy {

std::span<const web::route> job_routes() noexcept;
std::span<const web::route> admin_routes() noexcept;

// `of` outlives them.
std::unique_ptr<web::site> make_job_site(web::hub& of);
std::unique_ptr<web::site> make_admin_site(web::hub& of);

}  // namespace errand::lmstfy
