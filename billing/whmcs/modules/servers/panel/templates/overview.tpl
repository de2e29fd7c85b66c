{if $isActive}
<a class="btn btn-primary" target="_blank" rel="noopener noreferrer"
  href="clientarea.php?action=productdetails&amp;id={$service|escape:'url'}&amp;dosinglesignon=1">
  Log in to the panel
</a>
{/if}
