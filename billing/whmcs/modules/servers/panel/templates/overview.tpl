{if $isActive}
<form method="post" action="clientarea.php?action=productdetails" target="_blank" rel="noopener">
  <input type="hidden" name="token" value="{$token|escape}" />
  <input type="hidden" name="id" value="{$service|escape}" />
  <input type="hidden" name="dosinglesignon" value="1" />
  <button type="submit" class="btn btn-primary">Log in to the panel</button>
</form>
{/if}
